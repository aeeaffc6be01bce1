/**
 * What an agent's conversation begins with: skills, tools that can be loaded, its prompt, what is missing,
 * and what hooks say.
 */

import type { Scope } from '@turnwright/base/async/scope.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { UserMessage } from '../../protocol/model/messages.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { SpawnRequest } from '../../protocol/tools/agent.ts';
import { isFork } from '../../subagents/fork-agent.ts';
import type { Session } from '../session/session.ts';
import { beginWith } from '../submission/preloaded-skills.ts';
import { hookContext } from '../submission/prompt-hooks.ts';
import type { AgentParts } from './agent-parts.ts';
import { copyForkedView } from './forked-view.ts';

interface AgentOpening {
  readonly request: SpawnRequest;
  readonly session: Session;
  readonly model: string;
  readonly scope: Scope;
}

/**
 * Records the first messages of an agent's conversation, before any of them is emitted. Returns the prompt.
 */
export async function openAgent(
  submission: string,
  agent: AgentParts,
  { request, session, model, scope }: AgentOpening,
): Promise<UserMessage> {
  const { ports, skills } = agent;
  const { context, conversation, hooks } = ports;
  const { config, permissions, world } = session;
  const { run = 1, definition } = request;
  const recovered = await conversation.journal.open();
  if (run === 1 && isFork(definition)) await conversation.recorder.append(copyForkedView(request, session));
  const prompt: UserMessage = Object.freeze({
    uuid: world.ids.uuid(),
    timestamp: isoTime(world.clock.nowMs()),
    type: 'user' as const,
    kind: 'prompt' as const,
    message: { role: 'user' as const, content: request.prompt },
  });
  const permissionMode = permissions.mode;
  const begun = run === 1 ? (definition.skills ?? []) : [];
  const beginning = await beginWith(begun, agent.problems, skills.preload, world);
  const list = skills.announce(conversation.messages);
  const withPrompt = await context.withPrompt(model);
  const bodies: JournalBody[] = [
    // What an earlier run left open is answered, and never runs again.
    ...(recovered?.interrupted?.closing ?? []),
    { type: 'submission', id: `${submission}/submission`, submission, model, permissionMode },
    ...(list === undefined ? [] : [{ ...list, submission }]),
    ...withPrompt.map((message) => ({ ...message, submission })),
    ...beginning.messages.map((message) => ({ ...message, submission })),
    { ...prompt, submission },
  ];
  for (const line of beginning.problems) config.stderr?.(`The agent ${definition.name}: ${line}`);
  if (hooks.has('SubagentStart')) {
    const { additionalContext } = await hooks.run({ event: 'SubagentStart' }, { signal: scope.signal });
    for (const message of hookContext('SubagentStart', additionalContext, world))
      bodies.push({ ...message, submission });
  }
  await conversation.recorder.append(bodies);
  return prompt;
}
