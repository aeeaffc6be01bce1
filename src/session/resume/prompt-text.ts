import type { UserMessage } from '../../protocol/model/messages.ts';
import { textOfContent } from '../../util/text/text-of-content.ts';

/** The text of a prompt; undefined for tool results and messages of the engine. */
export function promptText(message: UserMessage): string | undefined {
  if (message.isSynthetic === true || (message.kind !== undefined && message.kind !== 'prompt'))
    return undefined;
  const { content } = message.message;
  if (typeof content !== 'string' && content.some((block) => block.type === 'tool_result')) return undefined;
  return textOfContent(content);
}
