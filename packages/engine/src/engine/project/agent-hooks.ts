/** The hooks of agents, for the one runner of a session: they run in their agent alone. */

import { errorText } from '@turnwright/base/text/error-text.ts';
import { compileMatcher } from '../../hooks/compile-matcher.ts';
import type { AgentDefinition } from '../../protocol/tools/agent.ts';
import type { ConfiguredHook, HookPolicy, HookSource } from '../../protocol/tools/hook-config.ts';
import { hooksOfAgent } from '../../settings/resolve/resolve-hooks.ts';

interface AgentHookParts {
  readonly policy: HookPolicy | undefined;
  warn(line: string): void;
  /** The agent that the main thread is: its hooks run there as the session's own. */
  readonly main?: string | undefined;
}

/** Never rejects: hooks that cannot be read are named, and their agent works without them. */
export async function hooksOfAgents(
  agents: readonly AgentDefinition[],
  { policy, warn, main }: AgentHookParts,
): Promise<readonly ConfiguredHook[]> {
  const found = agents
    .filter(({ hooks }) => hooks !== undefined)
    .map(async (agent) => {
      const place = agent.from?.path ?? `the agent ${agent.name}`;
      try {
        const read = await hooksOfAgent({ ...agent, place, hookSource: toHookSource(agent) }, policy, warn);
        for (const { matcher, event } of read) compileMatcher(matcher, event);
        const own = read.map((hook) => inAgent(hook, agent.name));
        return agent.name === main
          ? [...own, ...read.map((hook): ConfiguredHook => ({ ...hook, notIn: agent.name }))]
          : own;
      } catch (error) {
        warn(`The hooks of ${place} do not run: ${errorText(error)}.`);
        return [];
      }
    });
  return (await Promise.all(found)).flat();
}

/** An agent that is started ends with SubagentStop. */
function inAgent(hook: ConfiguredHook, onlyIn: string): ConfiguredHook {
  return { ...hook, onlyIn, ...(hook.event === 'Stop' && { event: 'SubagentStop' as const }) };
}

function toHookSource({ from }: AgentDefinition): HookSource {
  const source = from?.source;
  if (source === 'plugin') return 'pluginHook';
  return source === 'userSettings' || source === 'projectSettings' ? source : 'flagSettings';
}
