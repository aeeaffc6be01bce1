import type { UserMessage } from '../protocol/messages.ts';

/** The text of a prompt; undefined for tool results and what the engine wrote. */
export function promptText(message: UserMessage): string | undefined {
  if (message.isSynthetic === true || (message.kind !== undefined && message.kind !== 'prompt'))
    return undefined;
  const { content } = message.message;
  if (typeof content === 'string') return content;
  if (content.some((block) => block.type === 'tool_result')) return undefined;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
