/**
 * The view as whole rounds: spans that can be dropped or kept without separating a call from its result
 * (L10.1).
 */
import type { UserMessage, ViewMessage } from '../protocol/model/messages.ts';
import { estimateMessage } from './estimate/token-estimate.ts';

export interface Round {
  readonly messages: readonly ViewMessage[];
  readonly tokens: number;
}

/**
 * A round starts with a model response or a user message where everything before it is complete: no response
 * is divided, and no tool_use is separated from its result. O(messages).
 */
export function splitRounds(messages: readonly ViewMessage[]): Round[] {
  const lastUse = new Map<string, number>();
  messages.forEach((message, i) => {
    for (const key of listLinks(message)) lastUse.set(key, i);
  });
  const rounds: { messages: ViewMessage[]; tokens: number }[] = [];
  let reach = -1;
  messages.forEach((message, i) => {
    let round = rounds.at(-1);
    if (round === undefined || (reach < i && startsRound(message))) {
      round = { messages: [], tokens: 0 };
      rounds.push(round);
    }
    round.messages.push(message);
    round.tokens += estimateMessage(message);
    for (const key of listLinks(message)) reach = Math.max(reach, lastUse.get(key) ?? i);
  });
  return rounds;
}

/** Ids that tie messages together: of the response, and of calls on both sides. */
function listLinks(message: ViewMessage): string[] {
  switch (message.type) {
    case 'assistant':
      return [
        `response ${message.message.id}`,
        ...message.message.content.flatMap((block) =>
          block.type === 'tool_use' ? [`call ${block.id}`] : [],
        ),
      ];
    case 'user':
      return toolResultIds(message).map((id) => `call ${id}`);
    case 'attachment':
      return [];
  }
}

export function toolResultIds(message: UserMessage): string[] {
  const { content } = message.message;
  if (typeof content === 'string') return [];
  return content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

function startsRound(message: ViewMessage): boolean {
  switch (message.type) {
    case 'assistant':
      return true;
    case 'user':
      return toolResultIds(message).length === 0;
    case 'attachment':
      return isQueuedPrompt(message);
  }
}

/** The message with the user's latest text: a prompt, or one that was queued while the model worked. */
export function findLastPrompt(messages: readonly ViewMessage[]): ViewMessage | undefined {
  return messages.findLast((message) => {
    if (message.type === 'attachment') return isQueuedPrompt(message);
    return message.type === 'user' && !message.isSynthetic && toolResultIds(message).length === 0;
  });
}

function isQueuedPrompt(message: ViewMessage): boolean {
  return message.type === 'attachment' && message.attachment.type === 'queued_command';
}

/** The message that summarises everything before it; at most one, and the first of its view. */
export function isSummary(message: ViewMessage): boolean {
  return message.type === 'user' && message.isSynthetic === true && message.kind === 'summary';
}
