/** Estimates the tokens of messages without a tokenizer, until a response reports the real figure. */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import { imageHeader } from '@turnwright/base/files/image-header.ts';
import { jsonOnce } from '@turnwright/base/json-values.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { ContentBlock, ImageBlock, OtherBlock, ToolReferenceBlock } from '../../protocol/model/wire.ts';
import { estimateText } from './text-estimate.ts';

export { estimateText } from './text-estimate.ts';

/** Role, separators and block framing. */
const MESSAGE_OVERHEAD = 4;
const BLOCK_OVERHEAD = 3;
/** Tokens of the largest image that is not scaled down, and the size per token. */
const MAX_IMAGE_TOKENS = 1_600;
const PIXELS_PER_TOKEN = 750;
const PDF_PAGE_TOKENS = 2_500;
const PDF_PAGE_BYTES = 60_000;
/** Redacted thinking: about as long as the thought. The same is guessed of what else is sealed. */
const REDACTED_CHARS_PER_TOKEN = 4;

/** O(messages given): each message is counted once and cached by identity. */
export function estimateTokens(messages: Iterable<ViewMessage>): number {
  let tokens = 0;
  for (const message of messages) tokens += estimateMessage(message);
  return tokens;
}

export const estimateMessage: (message: ViewMessage) => number = oncePer((message) => {
  const content = message.type === 'attachment' ? message.rendered : message.message.content;
  const tokens =
    typeof content === 'string'
      ? estimateText(content)
      : content.reduce((sum, block) => sum + estimateBlock(block as ContentBlock), 0);
  return MESSAGE_OVERHEAD + tokens;
});

export function estimateBlock(block: ContentBlock | ToolReferenceBlock): number {
  switch (block.type) {
    case 'text':
      return BLOCK_OVERHEAD + estimateText(block.text);
    case 'thinking':
      return BLOCK_OVERHEAD + estimateText(block.thinking);
    case 'redacted_thinking':
      return BLOCK_OVERHEAD + Math.ceil(String(block.data).length / REDACTED_CHARS_PER_TOKEN);
    case 'tool_use':
      return BLOCK_OVERHEAD + estimateText(block.name) + estimateText(jsonOnce(block.input));
    case 'tool_result':
      if (block.content === undefined) return BLOCK_OVERHEAD;
      if (typeof block.content === 'string') return BLOCK_OVERHEAD + estimateText(block.content);
      return block.content.reduce((sum, inner) => sum + estimateBlock(inner), BLOCK_OVERHEAD);
    case 'image':
      return estimateImage(block);
    case 'document':
      return estimateDocument(block.source);
    default:
      return BLOCK_OVERHEAD + estimateOther(block);
  }
}

/** A guess: all of it counts as text, but for what is sealed. */
function estimateOther(block: OtherBlock | ToolReferenceBlock): number {
  const { encrypted_content: sealed, ...open } = block as OtherBlock;
  const hidden = typeof sealed === 'string' ? Math.ceil(sealed.length / REDACTED_CHARS_PER_TOKEN) : 0;
  return hidden + estimateText(JSON.stringify(open));
}

function estimateImage({ source }: ImageBlock): number {
  const header = source.type === 'base64' ? imageHeader(source.data) : undefined;
  if (header === undefined) return MAX_IMAGE_TOKENS;
  return Math.min(MAX_IMAGE_TOKENS, Math.ceil((header.width * header.height) / PIXELS_PER_TOKEN));
}

function estimateDocument(source: { readonly [key: string]: unknown }): number {
  const { data, content } = source;
  if (typeof content === 'string') return estimateText(content);
  if (Array.isArray(content)) return content.reduce((sum, block) => sum + estimateBlock(block), 0);
  // By address or by id: its size is not known, and guessed as that of one page.
  if (typeof data !== 'string') return PDF_PAGE_TOKENS;
  if (source['type'] === 'text') return estimateText(data);
  return Math.ceil((data.length * 0.75) / PDF_PAGE_BYTES) * PDF_PAGE_TOKENS;
}
