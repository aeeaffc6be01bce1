/**
 * Old results that the API clears on its side (L2.4, *cached*): the request stays the same, byte for byte.
 * The API keeps no state, so the same edit is sent with every request; and because clearing one more result
 * changes the prompt from there on, the cleared part grows in large steps only.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { SystemBody, ViewMessage } from '../../protocol/model/messages.ts';
import { clearResults, type ResultIndex } from './result-index.ts';

const EDIT_TYPE = 'clear_tool_uses_20250919';

export interface ApiClearing {
  /** Number of results, counted from the oldest, that the API was asked to clear. */
  count(index: ResultIndex): number;
  /** Asks to clear the re-runnable ones among the first `count` results from now on. */
  ask(index: ResultIndex, count: number): void;
  /** `context_management` for a request with these results; undefined when there is nothing to clear. */
  request(index: ResultIndex): unknown;
  /** The messages with the cleared results removed, for estimates. */
  asCounted(messages: readonly ViewMessage[]): readonly ViewMessage[];
  /** A clearing was requested that no response has reported yet: earlier estimates are not comparable. */
  readonly unreported: boolean;
  /** The results are now cleared in the view itself. */
  reset(): void;
  /** The boundary message, once a response has reported the last requested clearing. */
  announce(applied: unknown): SystemBody | undefined;
}

/** `minTokens`: minimum that the API clears, because its cached prompt ends at the first cleared result. */
export function createApiClearing(minTokens: number): ApiClearing {
  return new Clearing(minTokens);
}

const NO_IDS: readonly string[] = Object.freeze([]);
const NONE: ReadonlySet<string> = new Set();

class Clearing implements ApiClearing {
  readonly #minTokens: number;
  /** In the order of the view. */
  #asked = NO_IDS;
  #cleared = NONE;
  #unannounced = NO_IDS;
  #reportedTokens = 0;

  constructor(minTokens: number) {
    this.#minTokens = minTokens;
  }

  get unreported(): boolean {
    return this.#unannounced.length > 0;
  }

  count(index: ResultIndex): number {
    // A compaction may have removed the last of them from the view.
    for (let i = this.#asked.length - 1; i >= 0; i--) {
      const position = index.positionOf(this.#asked[i] as string);
      if (position !== undefined) return position + 1;
    }
    return 0;
  }

  ask(index: ResultIndex, upTo: number): void {
    const from = this.count(index);
    const idsFrom = (first: number) =>
      index.results.slice(first, upTo).flatMap((result) => (result.rerunnable ? [result.toolUseId] : []));
    this.#unannounced = idsFrom(from);
    this.#asked = idsFrom(0);
    this.#cleared = new Set(this.#asked);
  }

  request(index: ResultIndex): unknown {
    const upTo = this.count(index);
    if (upTo === 0) return undefined;
    const { results } = index;
    const names = new Set(results.slice(0, upTo).map((result) => result.toolName));
    for (const { toolUseId, toolName } of results) if (this.#cleared.has(toolUseId)) names.delete(toolName);
    const edit = {
      type: EDIT_TYPE,
      // The decision is made here; the API only executes it.
      trigger: { type: 'tool_uses', value: 1 },
      keep: { type: 'tool_uses', value: results.length - upTo },
      // At most half of the estimate: a clearing that does not happen costs more than one that frees too
      // little.
      clear_at_least: {
        type: 'input_tokens',
        value: Math.min(this.#minTokens, Math.floor(index.savings(0, upTo) / 2)),
      },
      ...(names.size > 0 && { exclude_tools: [...names].sort() }),
    };
    return { edits: [edit] };
  }

  asCounted(messages: readonly ViewMessage[]): readonly ViewMessage[] {
    const cleared = this.#cleared;
    if (cleared.size === 0) return messages;
    return messages.map((message) =>
      message.type === 'user' && holds(message, cleared)
        ? clearResults(message, (id) => cleared.has(id))
        : message,
    );
  }

  reset(): void {
    this.#asked = NO_IDS;
    this.#cleared = NONE;
    this.#unannounced = NO_IDS;
    this.#reportedTokens = 0;
  }

  announce(applied: unknown): SystemBody | undefined {
    const tokens = clearedTokens(applied);
    if (tokens === undefined) return undefined;
    const freed = Math.max(0, tokens - this.#reportedTokens);
    this.#reportedTokens = tokens;
    const tool_use_ids = this.#unannounced;
    if (tool_use_ids.length === 0) return undefined;
    this.#unannounced = NO_IDS;
    return { subtype: 'microcompact_boundary', tokens_freed: freed, tool_use_ids };
  }
}

function holds(message: Extract<ViewMessage, { type: 'user' }>, ids: ReadonlySet<string>): boolean {
  const { content } = message.message;
  return (
    typeof content !== 'string' &&
    content.some((block) => block.type === 'tool_result' && ids.has(block.tool_use_id))
  );
}

/** `{applied_edits: [{type, cleared_tool_uses, cleared_input_tokens}]}`, if it has this shape. */
function clearedTokens(applied: unknown): number | undefined {
  const edits: unknown = isRecord(applied) ? applied['applied_edits'] : undefined;
  if (!Array.isArray(edits)) return undefined;
  const edit: unknown = edits.find((candidate) => isRecord(candidate) && candidate['type'] === EDIT_TYPE);
  const tokens: unknown = isRecord(edit) ? edit['cleared_input_tokens'] : undefined;
  return typeof tokens === 'number' ? tokens : undefined;
}
