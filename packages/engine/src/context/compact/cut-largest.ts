/** When the kept messages are still too long: their largest texts are stored in files and truncated (F16). */
import type { UserMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { ViewEdit } from '../../protocol/model/view.ts';
import type { ToolResultBlock, UserBlock } from '../../protocol/model/wire.ts';
import {
  keptForm,
  PREVIEW_BYTES,
  resultPreview,
  resultText,
  type Spill,
  spilled,
  withPreview,
} from '../clearing/result-preview.ts';
import { estimateMessage, estimateTokens } from '../estimate/token-estimate.ts';
import { isSummary, toolResultIds } from '../rounds.ts';
import { cutMiddle } from './shorten.ts';

interface CutAim {
  /** Tool results are truncated, largest first, until the messages have this many tokens. */
  readonly resultsDownTo: number;
  /** User texts are truncated only while the messages are above this. */
  readonly wordsDownTo: number;
}

export interface Cut {
  readonly edits: readonly ViewEdit[];
  readonly tokensFreed: number;
  /** Prompts that were truncated, as they are now. */
  readonly prompts: readonly UserMessage[];
}

export async function cutLargest(messages: readonly ViewMessage[], aim: CutAim, spill: Spill): Promise<Cut> {
  const edits: ViewEdit[] = [];
  let tokens = estimateTokens(messages);
  let tokensFreed = 0;
  const replace = (message: ViewMessage, item: ViewMessage) => {
    const freed = estimateMessage(message) - estimateMessage(item);
    if (freed <= 0) return false;
    edits.push({ kind: 'replace', uuid: message.uuid, item: Object.freeze(item) });
    tokens -= freed;
    tokensFreed += freed;
    return true;
  };
  const prompts: UserMessage[] = [];
  const largestFirst = messages.toSorted((a, b) => estimateMessage(b) - estimateMessage(a));
  for (const message of largestFirst) {
    if (tokens <= aim.resultsDownTo) break;
    if (message.type === 'user' && toolResultIds(message).length > 0)
      replace(message, await withPreviews(message, spill));
  }
  const words = largestFirst.filter(isWords);
  // If truncating all of them would not suffice, they are left unchanged.
  if (tokens - estimateTokens(words) * (1 - SMALLEST_SHARE) > aim.wordsDownTo)
    return { edits, tokensFreed, prompts };
  for (const message of words) {
    if (tokens <= aim.wordsDownTo) break;
    const own = estimateMessage(message);
    const excess = tokens - aim.wordsDownTo;
    const share = Math.max(SMALLEST_SHARE, (own - excess) / own);
    const short = await withShortWords(message, share, spill);
    if (replace(message, short) && message.isSynthetic !== true) prompts.push(short);
  }
  return { edits, tokensFreed, prompts };
}

const isWords = (message: ViewMessage): message is UserMessage =>
  message.type === 'user' && toolResultIds(message).length === 0 && !isSummary(message);

/** At least this share of a prompt is kept. */
const SMALLEST_SHARE = 0.1;

async function withPreviews(message: UserMessage, spill: Spill): Promise<UserMessage> {
  const { content } = message.message;
  if (typeof content === 'string') return message;
  const { toolUseResult: _, ...rest } = message;
  const replaced: UserBlock[] = [];
  for (const block of content)
    replaced.push(block.type === 'tool_result' ? await previewed(block, spill) : block);
  return { ...rest, message: { role: 'user', content: replaced } };
}

async function previewed(block: ToolResultBlock, spill: Spill): Promise<ToolResultBlock> {
  const text = resultText(block);
  if (text.length <= PREVIEW_BYTES) return block;
  const { shown, ...file } = keptForm(block, text);
  const full = await spilled(spill, { toolUseId: block.tool_use_id, toolName: 'tool', ...file });
  return withPreview(block, resultPreview(text, full, shown));
}

async function withShortWords(message: UserMessage, share: number, spill: Spill): Promise<UserMessage> {
  const { content } = message.message;
  const short = async (text: string, part: number) => {
    if (text.length <= PREVIEW_BYTES) return text;
    const id = `${message.uuid}-${part}`;
    const full = await spilled(spill, { toolUseId: id, toolName: 'prompt', data: text });
    const note = full.kind === 'spilled' ? `; the whole text is in ${full.path}` : '';
    return cutMiddle(text, Math.floor(text.length * share), note);
  };
  if (typeof content === 'string')
    return { ...message, message: { role: 'user', content: await short(content, 1) } };
  const blocks: UserBlock[] = [];
  for (const [i, block] of content.entries()) {
    blocks.push(block.type === 'text' ? { ...block, text: await short(block.text, i + 1) } : block);
  }
  return { ...message, message: { role: 'user', content: blocks } };
}
