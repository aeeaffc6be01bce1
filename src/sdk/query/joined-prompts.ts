/** Prompts that waited for a turn to end and become one turn together. */

import type { UserBlock } from '../../protocol/model/wire.ts';
import type { SDKUserMessage } from '../../protocol/stream/sdk-messages.ts';

type Content = string | readonly UserBlock[];

/**
 * Whether `next` may join the turn that `first` begins: both have the same priority and origin, both query
 * the model, and neither is a command or verbatim.
 */
export function mayJoin(first: SDKUserMessage, next: SDKUserMessage): boolean {
  return (
    (first.priority ?? 'next') === (next.priority ?? 'next') &&
    JSON.stringify(first.origin) === JSON.stringify(next.origin) &&
    !standsAlone(first) &&
    !standsAlone(next)
  );
}

function standsAlone(prompt: SDKUserMessage): boolean {
  const { message, shouldQuery, client_composed: verbatim, isSynthetic } = prompt;
  return (
    shouldQuery === false || verbatim === true || isSynthetic === true || beginsWithSlash(message.content)
  );
}

function beginsWithSlash(content: Content): boolean {
  if (typeof content === 'string') return content.trimStart().startsWith('/');
  const text = content.find((block) => block.type === 'text');
  return text !== undefined && beginsWithSlash(text.text);
}

/** Texts joined by newlines, or all blocks in order. */
export function joinedContent(contents: readonly [Content, ...Content[]]): Content {
  if (contents.length === 1) return contents[0];
  if (contents.every((content) => typeof content === 'string')) return contents.join('\n');
  return contents.flatMap((content) =>
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
  );
}
