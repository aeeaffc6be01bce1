/**
 * Prompt-cache accounting as the API documents it. Entries are written at `cache_control` breakpoints only
 * and found again by exact prefix within 20 blocks before a breakpoint. They live 5 minutes or 1 hour from
 * their last use, belong to one key and one model, and exist from the start of the response.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { ApiBlock, ApiRequest, ApiTool } from '../request/api-request.ts';
import { splitTools } from '../request/split-tools.ts';
import type { EditedPrompt } from './context-edits.ts';
import { blockTokens, messageOverhead, sumToolTokens, toolTokens } from './count-tokens.ts';

type CacheLife = '5m' | '1h';

/** Positions checked per breakpoint, the breakpoint itself being the first. */
const LOOK_BACK = 20;
const LIFE_MS: Record<CacheLife, number> = { '5m': 5 * 60_000, '1h': 60 * 60_000 };

export interface CacheAccount {
  readonly readTokens: number;
  readonly written5mTokens: number;
  readonly written1hTokens: number;
  /** Tokens behind the last cached position. */
  readonly freshTokens: number;
  /** Stores the entries: called when the response begins. */
  commit(): void;
}

export interface PromptCache {
  account(input: {
    readonly owner: string;
    readonly minTokens: number;
    readonly request: ApiRequest;
    readonly prompt: EditedPrompt;
  }): CacheAccount;
  clear(): void;
}

interface Entry {
  life: CacheLife;
  expiresMs: number;
}

interface Position {
  readonly key: string;
  /** Tokens of the prefix up to here. */
  readonly tokens: number;
  readonly life: CacheLife | undefined;
}

export function createPromptCache(nowMs: () => number): PromptCache {
  const entries = new Map<string, Entry>();
  return {
    clear: () => entries.clear(),
    account({ owner, minTokens, request, prompt }) {
      const positions = hasBreakpoint(request, prompt) ? layOut(owner, request, prompt) : [];
      const now = nowMs();
      const alive = (at: number): Entry | undefined => {
        const entry = entries.get(positions[at]?.key ?? '');
        return entry !== undefined && entry.expiresMs > now ? entry : undefined;
      };
      const breakpoints = positions.flatMap((position, at) =>
        position.life !== undefined && position.tokens >= minTokens ? [at] : [],
      );
      const hit = longestHit(breakpoints, (at) => alive(at) !== undefined);
      const readTokens = hit === undefined ? 0 : (positions[hit]?.tokens ?? 0);
      const written = writtenTokens(positions, breakpoints, readTokens);
      return {
        readTokens,
        ...written,
        freshTokens: prompt.inputTokens - readTokens - written.written5mTokens - written.written1hTokens,
        commit() {
          const begun = nowMs();
          const touch = (at: number, life: CacheLife) => {
            const position = positions[at];
            if (position !== undefined) entries.set(position.key, { life, expiresMs: begun + LIFE_MS[life] });
          };
          if (hit !== undefined) touch(hit, alive(hit)?.life ?? '5m');
          for (const at of breakpoints) touch(at, longer(positions[at]?.life ?? '5m', alive(at)?.life));
        },
      };
    },
  };
}

function longestHit(breakpoints: readonly number[], alive: (at: number) => boolean): number | undefined {
  for (const breakpoint of breakpoints.toReversed()) {
    for (let at = breakpoint; at > breakpoint - LOOK_BACK && at >= 0; at--) if (alive(at)) return at;
  }
  return undefined;
}

function writtenTokens(positions: readonly Position[], breakpoints: readonly number[], readTokens: number) {
  let last1h = readTokens;
  let last = readTokens;
  for (const at of breakpoints) {
    const position = positions[at];
    if (position === undefined || position.tokens <= readTokens) continue;
    if (position.life === '1h') last1h = position.tokens;
    last = position.tokens;
  }
  return { written1hTokens: last1h - readTokens, written5mTokens: last - last1h };
}

/** Lifetime of a block's own breakpoint, or of the last one inside a tool result. */
function cacheLife(block: ApiBlock | ApiTool): CacheLife | undefined {
  const own = block['cache_control'];
  if (isRecord(own)) return own['ttl'] === '1h' ? '1h' : '5m';
  const content = block['content'];
  if (!Array.isArray(content)) return undefined;
  for (const inner of content.toReversed()) {
    const nested: unknown = isRecord(inner) ? inner['cache_control'] : undefined;
    if (isRecord(nested)) return nested['ttl'] === '1h' ? '1h' : '5m';
  }
  return undefined;
}

function longer(a: CacheLife, b: CacheLife | undefined): CacheLife {
  return a === '1h' || b === '1h' ? '1h' : '5m';
}

function hasBreakpoint(request: ApiRequest, prompt: EditedPrompt): boolean {
  return (
    isRecord(request.body['cache_control']) ||
    prompt.tools.some((tool) => isRecord(tool['cache_control'])) ||
    prompt.system.some((block) => isRecord(block['cache_control'])) ||
    prompt.turns.some((turn) => turn.blocks.some((block) => cacheLife(block) !== undefined))
  );
}

/** Every block in cache order (tools, system, messages), with the hash of its prefix. */
function layOut(owner: string, request: ApiRequest, prompt: EditedPrompt): Position[] {
  const positions: Position[] = [];
  const hash = runningHash(`${owner}\0${request.model}`);
  let tokens = 0;
  const place = (text: string, cost: number, life: CacheLife | undefined) => {
    hash.add(text);
    tokens += cost;
    positions.push({ key: hash.key(), tokens, life });
  };
  const { eager, defers, loadedBy } = splitTools(prompt.tools);
  if (defers) hash.add('deferred');
  for (const tool of eager) {
    place(JSON.stringify({ ...tool, cache_control: undefined }), toolTokens(tool), cacheLife(tool));
  }
  const { body } = request;
  hash.add(JSON.stringify(body['speed'] ?? null));
  for (const block of prompt.system) place(bare(block), blockTokens(block), cacheLife(block));
  // Another tool choice, thinking or effort of the whole request invalidates the messages only.
  const messages = Array.isArray(body['messages']) ? body['messages'] : [];
  const effort = isGoverned(prompt, messages) ? null : readEffort(body);
  hash.add(JSON.stringify([body['tool_choice'] ?? null, body['thinking'] ?? null, effort]));
  for (const turn of prompt.turns) {
    // A setting inside the conversation changes what follows it.
    if (turn.role === 'system') hash.add(JSON.stringify(readEffort(messages[turn.index])));
    for (const [at, block] of turn.blocks.entries()) {
      const loaded = loadedBy(block);
      const cost = blockTokens(block) + sumToolTokens(loaded) + (at === 0 ? messageOverhead() : 0);
      const definitions = loaded.length === 0 ? '' : JSON.stringify(loaded);
      place(`${turn.role}\0${bare(block)}${definitions}`, cost, cacheLife(block));
    }
  }
  const automatic = body['cache_control'];
  const last = positions.at(-1);
  if (isRecord(automatic) && last !== undefined && last.life === undefined) {
    positions[positions.length - 1] = { ...last, life: automatic['ttl'] === '1h' ? '1h' : '5m' };
  }
  return positions;
}

/** An effort inside the conversation precedes its first answer: the one of the request has no effect. */
function isGoverned({ turns }: EditedPrompt, messages: readonly unknown[]): boolean {
  const first = turns.findIndex(({ role }) => role === 'assistant');
  return turns
    .slice(0, first < 0 ? turns.length : first)
    .some(({ role, index }) => role === 'system' && readEffort(messages[index]) !== null);
}

function readEffort(holder: unknown): unknown {
  const config = isRecord(holder) ? holder['output_config'] : undefined;
  return isRecord(config) ? (config['effort'] ?? null) : null;
}

/** A block's bytes without breakpoints: moving a breakpoint does not change the prefix. */
function bare(block: ApiBlock): string {
  const content = block['content'];
  const marked =
    Array.isArray(content) && content.some((inner) => isRecord(inner) && 'cache_control' in inner);
  if (!marked)
    return JSON.stringify('cache_control' in block ? { ...block, cache_control: undefined } : block);
  const inner = content.map((item) => (isRecord(item) ? { ...item, cache_control: undefined } : item));
  return JSON.stringify({ ...block, content: inner, cache_control: undefined });
}

/** A 64-bit running hash (two multiplicative 32-bit lanes): the key of a prefix. */
function runningHash(seed: string) {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  const add = (text: string) => {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      high = Math.imul(high ^ unit, 2654435761);
      low = Math.imul(low ^ unit, 1597334677);
    }
    high = Math.imul(high ^ (high >>> 16) ^ low, 2246822507);
    low = Math.imul(low ^ (low >>> 13) ^ high ^ text.length, 3266489909);
  };
  add(seed);
  return { add, key: () => `${high >>> 0}.${low >>> 0}` };
}
