/** Tool calls in messages, the results that answer them, and the order of these results in the view. */

import { stableUuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { AssistantMessage, UserMessage, ViewMessage } from '../protocol/model/messages.ts';
import type { ToolUseBlock } from '../protocol/model/wire.ts';

export function listCalls(
  messages: readonly ViewMessage[],
): { readonly block: ToolUseBlock; readonly assistantUuid: string }[] {
  const calls: { readonly block: ToolUseBlock; readonly assistantUuid: string }[] = [];
  for (const message of messages) {
    if (message.type !== 'assistant') continue;
    for (const block of message.message.content)
      if (block.type === 'tool_use') calls.push({ block, assistantUuid: message.uuid });
  }
  return calls;
}

/** Ids of the calls that the message answers. */
export function resultIds(message: UserMessage): readonly string[] {
  const { content } = message.message;
  if (typeof content === 'string') return [];
  return content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

/**
 * Results in the order of their calls, so that the next request's bytes do not depend on which tool was
 * quicker; messages that answer no call follow, in the order given.
 */
export function inCallOrder(
  messages: readonly UserMessage[],
  calls: readonly { readonly block: ToolUseBlock }[],
): UserMessage[] {
  const order = new Map(calls.map(({ block }, index) => [block.id, index]));
  const place = (message: UserMessage): number => order.get(resultIds(message)[0] ?? '') ?? order.size;
  return [...messages].sort((a, b) => place(a) - place(b));
}

/** The message without the results of other calls. */
export function onlyResults(message: UserMessage, ids: readonly string[]): UserMessage {
  const content = message.message.content as Exclude<UserMessage['message']['content'], string>;
  const kept = content.filter((block) => block.type !== 'tool_result' || ids.includes(block.tool_use_id));
  return Object.freeze({ ...message, message: { ...message.message, content: kept } });
}

/** An error result for a call without a recorded one. */
export function missingResult(
  block: ToolUseBlock,
  assistantUuid: string,
  answers: readonly AssistantMessage[],
): UserMessage {
  const message: UserMessage = {
    uuid: stableUuid(`missing/${block.id}`),
    timestamp: answers.at(-1)?.timestamp ?? '',
    type: 'user',
    kind: 'tool_result',
    message: {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: block.id,
          content:
            'The result of this call is missing from the record of the session; its outcome is unknown.',
          is_error: true,
        },
      ],
    },
    sourceAssistantUuid: assistantUuid,
    nonExecution: 'unknown_outcome',
  };
  return Object.freeze(message);
}

/** Whether the message answers this call with an error. */
export function isErrorFor(message: UserMessage, id: string): boolean {
  const { content } = message.message;
  return (
    typeof content !== 'string' &&
    content.some(
      (block) => block.type === 'tool_result' && block.tool_use_id === id && block.is_error === true,
    )
  );
}
