/** What a fork has of the main conversation: the head of its requests, and the view before its call. */
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { SpawnRequest } from '../../protocol/tools/agent.ts';
import { isFork } from '../../subagents/fork-agent.ts';
import type { SubmissionContext } from '../session/request-context.ts';
import type { Session } from '../session/session.ts';

/** The same bytes, so that the prompt cache holds. undefined: the agent is no fork. */
export function forkedHead(
  { definition }: SpawnRequest,
  { model }: Pick<Session, 'model'>,
): Pick<SubmissionContext, 'system' | 'userContext'> | undefined {
  if (!isFork(definition) || model.request === undefined) return undefined;
  const { system, userContext } = model.request;
  return { system, userContext };
}

/** Records of what the fork begins with: the view as it was sent for the answer that starts it. */
export function copyForkedView(
  { toolUseId }: Pick<SpawnRequest, 'toolUseId'>,
  { conversation }: Pick<Session, 'conversation'>,
): readonly JournalBody[] {
  const all = conversation.messages.slice();
  const starts = all.find((message) => isCall(message, toolUseId));
  const id = starts?.type === 'assistant' ? starts.message.id : undefined;
  const end = all.findIndex((message) => message.type === 'assistant' && message.message.id === id);
  if (end < 0) throw new Error('The call that forks the conversation is not part of it.');
  const submission = 'fork';
  return all
    .slice(0, end)
    .map((message) =>
      message.type === 'assistant' ? { ...message, submission, iteration: 0 } : { ...message, submission },
    );
}

function isCall(message: ViewMessage, toolUseId: string): boolean {
  if (message.type !== 'assistant') return false;
  return message.message.content.some((block) => block.type === 'tool_use' && block.id === toolUseId);
}
