/** Messages with long texts truncated in the middle, for summaries. */

import { grouped } from '@turnwright/base/text/figures-and-times.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { AssistantBlock, UserBlock } from '../../protocol/model/wire.ts';

/** Beginning and end of a text, with a note about the omitted length. */
export function cutMiddle(text: string, maxChars: number, note = ''): string {
  if (text.length <= maxChars) return text;
  const head = whole(text, 0, Math.ceil((maxChars * 2) / 3));
  const tail = whole(text, text.length - Math.floor(maxChars / 3), text.length);
  const missing = grouped(text.length - head.length - tail.length);
  return `${head}\n[… ${missing} characters left out${note} …]\n${tail}`;
}

/** Without half a surrogate pair at either end. */
function whole(text: string, start: number, end: number): string {
  const isLow = (at: number) => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return text.slice(isLow(start) ? start + 1 : start, isLow(end) ? end - 1 : end);
}

/** Truncates tool results of more than `maxChars`; with `everything`, also texts and tool inputs. */
export function shortened(message: ViewMessage, maxChars: number, everything: boolean): ViewMessage {
  const cut = (text: string) => cutMiddle(text, maxChars);
  if (message.type === 'assistant') {
    if (!everything) return message;
    const content = message.message.content.map((block): AssistantBlock => {
      if (block.type === 'text') return { ...block, text: cut(block.text) };
      if (block.type === 'tool_use') return { ...block, input: shortInput(block.input, cut) };
      return block;
    });
    return { ...message, message: { ...message.message, content } };
  }
  const shortBlock = (block: UserBlock): UserBlock => {
    if (block.type === 'text') return everything ? { ...block, text: cut(block.text) } : block;
    if (block.type !== 'tool_result' || block.content === undefined) return block;
    if (typeof block.content === 'string') return { ...block, content: cut(block.content) };
    const content = block.content.map((inner) =>
      inner.type === 'text' ? { ...inner, text: cut(inner.text) } : inner,
    );
    return { ...block, content };
  };
  if (message.type === 'attachment') return { ...message, rendered: message.rendered.map(shortBlock) };
  const { content } = message.message;
  if (typeof content === 'string')
    return everything ? { ...message, message: { ...message.message, content: cut(content) } } : message;
  return { ...message, message: { ...message.message, content: content.map(shortBlock) } };
}

function shortInput(input: JsonObject, cut: (text: string) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      if (typeof value === 'string') return [name, cut(value)];
      const json = JSON.stringify(value) ?? '';
      const short = cut(json);
      return [name, short === json ? value : short];
    }),
  );
}
