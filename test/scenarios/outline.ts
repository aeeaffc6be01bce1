/** Short words for what was said, for order assertions. */
import type { DecisionRecord, SDKMessage } from '@turnwright/engine';

/** One word per message of the SDK stream; estimates on the way are none. */
export function outline(messages: readonly SDKMessage[]): string[] {
  const isEstimate = ({ type, subtype }: { type: string; subtype?: unknown }) =>
    type === 'system' && subtype === 'thinking_tokens';
  return messages
    .filter((message) => !isEstimate(message))
    .map((message) => {
      switch (message.type) {
        case 'assistant': {
          const word = message.is_api_error_message
            ? `error:${message.error}`
            : (message.message.content[0]?.type ?? 'nothing');
          return message.supersedes === undefined ? word : `${word}, supersedes ${message.supersedes.length}`;
        }
        case 'user':
          if (hasToolResult(message.message.content)) return 'tool_result';
          if (message.retracted_message_uuids !== undefined)
            return `synthetic, retracts ${message.retracted_message_uuids.length}`;
          return message.isSynthetic === true ? 'synthetic' : 'user';
        case 'system':
          return message.subtype === 'status' ? `status:${message.status}` : message.subtype;
        case 'result':
          return `result:${message.subtype}`;
        default:
          return message.type;
      }
    });
}

/** How each iteration ended. */
export function decided(decisions: readonly DecisionRecord[]): string[] {
  return decisions.map(({ decision }) => {
    if (decision === undefined) return 'cut off';
    if (decision.kind === 'park') return 'park';
    return decision.kind === 'stop' ? `stop ${decision.terminal}` : decision.transition;
  });
}

/** Text of every assistant block, errors included. */
export function spoken(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) =>
    message.type === 'assistant'
      ? message.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      : [],
  );
}

/** Text of user messages that are no tool results: notes, nudges, feedback. */
export function noted(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user') return [];
    const { content } = message.message;
    if (typeof content === 'string') return [content];
    return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  });
}

export interface ShownResult {
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
}

export function toolResults(messages: readonly SDKMessage[]): ShownResult[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user' || typeof message.message.content === 'string') return [];
    return message.message.content.flatMap((block) =>
      block.type === 'tool_result'
        ? [{ id: block.tool_use_id, text: textOf(block.content), isError: block.is_error === true }]
        : [],
    );
  });
}

export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: { readonly text?: string }) => block.text ?? '').join('');
}

function hasToolResult(content: unknown): boolean {
  return Array.isArray(content) && content.some((block: { type?: string }) => block.type === 'tool_result');
}
