/**
 * What messages cost in tokens, without a tokenizer: characters divided by a figure per class of content. Errs on the
 * high side, since it only bridges the time until a response reports what was really counted.
 */
import type { ViewMessage } from '../protocol/messages.ts';
import type { ContentBlock } from '../protocol/wire.ts';

const CHARS_PER_TOKEN = { prose: 4, code: 3, otherScript: 2, cjk: 1, base64: 1.5 } as const;
/** Role, separators and block framing. */
const MESSAGE_OVERHEAD = 4;
const BLOCK_OVERHEAD = 3;
/** An image of the largest size that is not scaled down. */
const IMAGE_TOKENS = 1_600;
const PDF_PAGE_TOKENS = 2_500;
const PDF_PAGE_BYTES = 60_000;
/** A run without spaces of at least this many characters of the base64 alphabet is data, not words. */
const BASE64_RUN = 64;
/** The share of symbols and digits above which text counts as code. */
const CODE_SHARE = 0.1;

const cache = new WeakMap<ViewMessage, number>();

/** O(messages given): each message is counted once and remembered by identity. */
export function estimateTokens(messages: Iterable<ViewMessage>): number {
  let tokens = 0;
  for (const message of messages) tokens += estimateMessage(message);
  return tokens;
}

export function estimateMessage(message: ViewMessage): number {
  const known = cache.get(message);
  if (known !== undefined) return known;
  const content = message.type === 'attachment' ? message.rendered : message.message.content;
  const tokens =
    MESSAGE_OVERHEAD +
    (typeof content === 'string'
      ? estimateText(content)
      : content.reduce((sum, block) => sum + estimateBlock(block as ContentBlock), 0));
  cache.set(message, tokens);
  return tokens;
}

function estimateBlock(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return BLOCK_OVERHEAD + estimateText(block.text);
    case 'thinking':
      return BLOCK_OVERHEAD + estimateText(block.thinking);
    case 'redacted_thinking':
      return BLOCK_OVERHEAD + Math.ceil(block.data.length / CHARS_PER_TOKEN.prose);
    case 'tool_use':
      return BLOCK_OVERHEAD + estimateText(block.name) + estimateText(JSON.stringify(block.input));
    case 'tool_result':
      if (block.content === undefined) return BLOCK_OVERHEAD;
      if (typeof block.content === 'string') return BLOCK_OVERHEAD + estimateText(block.content);
      return block.content.reduce((sum, inner) => sum + estimateBlock(inner), BLOCK_OVERHEAD);
    case 'image':
      return IMAGE_TOKENS;
    case 'document':
      return estimateDocument(block.source);
    default:
      return BLOCK_OVERHEAD + estimateText(JSON.stringify(block));
  }
}

function estimateDocument(source: { readonly [key: string]: unknown }): number {
  const data = source['data'];
  if (typeof data !== 'string') return PDF_PAGE_TOKENS;
  if (source['type'] === 'text') return estimateText(data);
  return Math.ceil((data.length * 0.75) / PDF_PAGE_BYTES) * PDF_PAGE_TOKENS;
}

/** Tokens of a piece of text, by the classes of its characters. */
export function estimateText(text: string): number {
  let latin = 0;
  let symbols = 0;
  let otherScript = 0;
  let cjk = 0;
  let base64 = 0;
  let run = 0;
  const endRun = () => {
    if (run >= BASE64_RUN) base64 += run;
    else latin += run;
    run = 0;
  };
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isBase64(code)) {
      run++;
      if (code < 58) symbols++;
      continue;
    }
    if (run > 0) endRun();
    if (code < 0x370) {
      latin++;
      if (isSymbol(code)) symbols++;
    } else if (code < 0x2000) otherScript++;
    else if (code < 0x2e80) latin++;
    else cjk++;
  }
  endRun();
  const isCode = symbols > latin * CODE_SHARE;
  return Math.ceil(
    latin / (isCode ? CHARS_PER_TOKEN.code : CHARS_PER_TOKEN.prose) +
      otherScript / CHARS_PER_TOKEN.otherScript +
      cjk / CHARS_PER_TOKEN.cjk +
      base64 / CHARS_PER_TOKEN.base64,
  );
}

function isBase64(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || // a–z
    (code >= 65 && code <= 90) || // A–Z
    (code >= 47 && code <= 57) || // / and 0–9
    code === 43 || // +
    code === 61 // =
  );
}

function isSymbol(code: number): boolean {
  // Prose has its share of these.
  if (code === 44 || code === 46 || code === 39) return false; // , . '
  return (
    (code > 32 && code < 48) ||
    (code > 57 && code < 65) ||
    (code > 90 && code < 97) ||
    (code > 122 && code < 127)
  );
}
