/**
 * The server's tokenizer: a stable, additive estimate, so that usage, cache figures and window checks agree.
 * Four UTF-16 units are a token, rounded up per block; a message costs 3 more; an image costs width × height
 * / 750 (at most 1600), or 1600 when its size cannot be read.
 */
import {
  type ApiBlock,
  type ApiRequest,
  type ApiTool,
  readBlocks,
  readImageSize,
} from '../request/api-request.ts';
import { splitTools } from '../request/split-tools.ts';

const UNITS_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 3;
const MAX_IMAGE_TOKENS = 1600;
const PIXELS_PER_TOKEN = 750;

/** Estimated tokens of a text: a quarter of its UTF-16 units, rounded up. */
export function textTokens(text: string): number {
  return Math.ceil(text.length / UNITS_PER_TOKEN);
}

export function blockTokens(block: ApiBlock): number {
  switch (block.type) {
    case 'text':
      return textTokens(readString(block['text']));
    case 'thinking':
      return textTokens(readString(block['thinking']));
    case 'redacted_thinking':
      return textTokens(readString(block['data']));
    case 'tool_use':
      return textTokens(readString(block['name'])) + textTokens(JSON.stringify(block['input'] ?? {}));
    case 'tool_result':
      return 4 + readBlocks(block['content']).reduce((sum, inner) => sum + blockTokens(inner), 0);
    case 'image':
      return imageTokens(block);
    default:
      return textTokens(JSON.stringify(block));
  }
}

export function toolTokens(tool: ApiTool): number {
  return textTokens(JSON.stringify({ ...tool, cache_control: undefined }));
}

/** Of the definitions of these tools. */
export function sumToolTokens(tools: readonly ApiTool[]): number {
  return tools.reduce((sum, tool) => sum + toolTokens(tool), 0);
}

/** Overhead of a message, added to its first block. */
export function messageOverhead(): number {
  return TOKENS_PER_MESSAGE;
}

/** Input tokens of the whole request. Deferred tools count where the conversation loads them. */
export function requestTokens(request: Pick<ApiRequest, 'tools' | 'system' | 'turns'>): number {
  let sum = 0;
  const { eager, loadedBy } = splitTools(request.tools);
  for (const tool of eager) sum += toolTokens(tool);
  for (const block of request.system) sum += blockTokens(block);
  for (const turn of request.turns) {
    if (turn.blocks.length > 0) sum += TOKENS_PER_MESSAGE;
    for (const block of turn.blocks) sum += blockTokens(block) + sumToolTokens(loadedBy(block));
  }
  return sum;
}

function imageTokens(block: ApiBlock): number {
  const size = readImageSize(block);
  if (size === undefined) return MAX_IMAGE_TOKENS;
  return Math.min(MAX_IMAGE_TOKENS, Math.ceil((size.width * size.height) / PIXELS_PER_TOKEN));
}

function readString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
