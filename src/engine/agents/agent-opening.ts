/** What an agent's conversation begins with: skills, tools that can be loaded, its prompt, what is missing, and what hooks say. */
import type { SpawnRequest } from '../../protocol/agent.ts';
import type { JournalBody } from '../../protocol/journal.ts';
import type { UserMessage } from '../../protocol/messages.ts';
import type { Scope } from '../../util/async/scope.ts';
import { isoTime } from '../../util/text/iso-time.ts';
import type { EngineParts } from '../session/session-parts.ts';
import { beginWith } from '../submission/preloaded-skills.ts';
import { hookContext } from '../submission/prompt-hooks.ts';
import type { AgentParts } from './agent-parts.ts';

export interface AgentOpening {
  readonly request: SpawnRequest;
  readonly session: EngineParts;
  readonly model: string;
  readonly scope: Scope;
}

/** On record before it is shown. Returns the prompt. */
export async function openAgent(
  submission: string,
  agent: AgentParts,
  { request, session, model, scope }: AgentOpening,
): Promise<UserMessage> {
  const { parts, skills } = agent;
  const { journal, hooks } = parts;
  await journal.open();
  const prompt: UserMessage = Object.freeze({
    uuid: session.ids.uuid(),
    timestamp: isoTime(session.clock.nowMs()),
    type: 'user' as const,
    kind: 'prompt' as const,
    message: { role: 'user' as const, content: request.prompt },
  });
  const permissionMode = parts.permissions.mode;
  const beginning = await beginWith(request.definition.skills ?? [], agent.problems, skills.preload, session);
  const list = skills.announce(journal.view.messages);
  const withPrompt = await parts.withPrompt(model);
  const bodies: JournalBody[] = [
    { type: 'submission', id: `${submission}/submission`, submission, model, permissionMode },
    ...(list === undefined ? [] : [{ ...list, submission }]),
    ...withPrompt.map((message) => ({ ...message, submission })),
    ...beginning.messages.map((message) => ({ ...message, submission })),
    { ...prompt, submission },
  ];
  for (const line of beginning.problems)
    session.config.stderr?.(`The agent ${request.definition.name}: ${line}`);
  if (hooks.has('SubagentStart')) {
    const { additionalContext } = await hooks.run({ event: 'SubagentStart' }, { signal: scope.signal });
    for (const message of hookContext('SubagentStart', additionalContext, session))
      bodies.push({ ...message, submission });
  }
  await journal.recorder.append(bodies);
  return prompt;
}
