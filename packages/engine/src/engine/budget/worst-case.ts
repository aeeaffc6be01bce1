/**
 * The most that one model call can cost. Tokenizers make at most one token of a byte, so bytes bound the
 * prompt; the part of it that an earlier answer has counted is taken as counted. Media are bounded by what
 * providers count at most, or by the window of the model.
 */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import { computeCost } from '../../model/catalog/prices.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { ModelInfo, ModelRequest } from '../../protocol/model/model.ts';
import { promptTokens } from '../../protocol/model/usage.ts';
import type { ContentBlock, Usage } from '../../protocol/model/wire.ts';

/** Largest image of any provider. */
const IMAGE_TOKENS = 6_000;
/** Beside the text of a message: its role and separators. */
const MESSAGE_TOKENS = 20;
/** What a provider adds to a prompt with tools. */
const ADDED_TOKENS = 2_000;
/** What one search of the provider adds to the prompt, at most; providers document no limit. */
const SEARCH_TOKENS = 25_000;

/** What the configuration says about the price of input. */
export interface CacheUse {
  readonly promptCaching?: boolean | undefined;
  readonly promptCacheTtl?: '5m' | '1h' | undefined;
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

interface Counted {
  readonly model: string;
  readonly messages: WeakSet<ViewMessage>;
  readonly head: string;
  /** Of its prompt, as the provider counted them. */
  readonly tokens: number;
}

/** Conversations whose last counted prompt is remembered. */
const MAX_CONVERSATIONS = 64;

/** Bounds of prompts, by what the provider has counted so far. */
export class PromptBounds {
  readonly #counted = new Map<string, Counted>();

  /** Tokens of the prompt, at most. */
  of(request: ModelRequest, info: ModelInfo): number {
    const counted = this.#counted.get(request.agentId ?? '');
    const isSame = counted !== undefined && counted.model === request.model;
    const head = serialiseHead(request);
    const isHeadCounted = isSame && counted.head === head;
    let all = 0;
    let added = 0;
    for (const message of request.view) {
      const tokens = boundOf(message);
      all += tokens;
      if (!isSame || !counted.messages.has(message)) added += tokens;
    }
    const headTokens = Buffer.byteLength(head) + ADDED_TOKENS;
    const fresh = withinWindow(headTokens + all, info);
    if (!isSame) return fresh;
    return Math.min(fresh, withinWindow(counted.tokens + added + (isHeadCounted ? 0 : headTokens), info));
  }

  /** A complete answer to a request of a conversation has counted its prompt. */
  learn(request: ModelRequest, usage: Usage): void {
    const { querySource, agentId = '', model } = request;
    if (usage.estimated === true || !isConversation(querySource)) return;
    this.#counted.delete(agentId);
    if (this.#counted.size === MAX_CONVERSATIONS)
      this.#counted.delete(this.#counted.keys().next().value as string);
    const tokens = promptTokens(usage) + ADDED_TOKENS;
    this.#counted.set(agentId, {
      model,
      messages: new WeakSet(request.view),
      head: serialiseHead(request),
      tokens,
    });
  }
}

/** Calls whose output cap may be lowered: their answers can be continued. */
export function isConversation(querySource: string): boolean {
  return querySource === 'main' || querySource.startsWith('agent:');
}

/** USD at most; undefined: the model has no price. */
export function worstCost(
  request: ModelRequest,
  info: ModelInfo,
  { promptBound, maxTokens }: { readonly promptBound: number; readonly maxTokens: number },
  cacheUse: CacheUse,
): number | undefined {
  const searches = countSearches(request);
  const limit = info.price?.above?.aboveTokens ?? promptBound;
  let worst: number | undefined;
  // The price above a prompt size is not higher by necessity.
  for (const prompt of new Set([promptBound, Math.min(promptBound, limit)])) {
    for (const usage of listUsages(countInputTokens(prompt, maxTokens, searches), request, cacheUse)) {
      const cost = computeCost(
        { ...usage, output_tokens: maxTokens, server_tool_use: { web_search_requests: searches } },
        info,
      );
      if (cost === undefined) return undefined;
      worst = Math.max(worst ?? 0, cost);
    }
  }
  return worst;
}

/** Each search is followed by another round, which reads the prompt and what was found so far. */
function countInputTokens(prompt: number, maxTokens: number, searches: number): number {
  let tokens = prompt;
  for (let round = 1; round <= searches; round++) tokens += prompt + maxTokens + round * SEARCH_TOKENS;
  return tokens;
}

export function countSearches({ serverTools = [] }: ModelRequest): number {
  return serverTools.reduce((sum, { max_uses: uses }) => sum + (typeof uses === 'number' ? uses : 1), 0);
}

/** Input as it may be billed: which of these is dearest depends on the model. */
function* listUsages(
  tokens: number,
  { cache }: ModelRequest,
  { promptCaching, promptCacheTtl, extraBody }: CacheUse,
): Generator<Partial<Usage>> {
  yield { input_tokens: tokens };
  yield { cache_read_input_tokens: tokens };
  if (extraBody === undefined && (cache === false || promptCaching === false)) return;
  yield { cache_creation_input_tokens: tokens };
  if (promptCacheTtl !== '1h' && extraBody === undefined) return;
  const creation = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: tokens };
  yield { cache_creation_input_tokens: tokens, cache_creation: creation };
}

/** A longer prompt is refused, and not billed. A window that is only assumed bounds nothing that is known. */
function withinWindow(tokens: number, { contextWindow, source }: ModelInfo): number {
  const isAssumed = source === 'default' || source === 'family';
  return isAssumed && Number.isFinite(tokens) ? tokens : Math.min(tokens, contextWindow);
}

const serialiseHead = ({
  system,
  userContext = [],
  tools,
  serverTools = [],
  outputSchema,
}: ModelRequest): string =>
  `${JSON.stringify([system, userContext, serverTools, outputSchema])}${toolsJson(tools)}`;

const toolsJson = oncePer((tools: ModelRequest['tools']) => JSON.stringify(tools));

const boundOf = oncePer((message: ViewMessage): number => {
  const content = message.type === 'attachment' ? message.rendered : message.message.content;
  return MESSAGE_TOKENS + contentBound(content as string | readonly ContentBlock[]);
});

function contentBound(content: unknown): number {
  if (!Array.isArray(content)) return countJsonBytes(content);
  return content.reduce((sum: number, block: ContentBlock) => sum + blockBound(block), 0);
}

/** Infinity: only the window bounds it. */
function blockBound(block: ContentBlock): number {
  if (block.type === 'image') return IMAGE_TOKENS;
  if (block.type === 'tool_result') {
    const { content, ...rest } = block;
    return countJsonBytes(rest) + contentBound(content);
  }
  if (block.type !== 'document') return countJsonBytes(block);
  const source = block.source as { readonly type?: unknown; readonly content?: unknown };
  if (source.type === 'text') return countJsonBytes(block);
  return source.type === 'content'
    ? countJsonBytes({ ...block, source: undefined }) + contentBound(source.content)
    : Number.POSITIVE_INFINITY;
}

const countJsonBytes = (value: unknown): number =>
  value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value) ?? '');
