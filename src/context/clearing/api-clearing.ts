/**
 * Old results that the API clears on its side (L2.4, *cached*): what we send stays the same, byte for byte. The API
 * forgets from one request to the next, so the same edit goes out with every request; and since clearing one more
 * result changes the prompt from there on, what is cleared grows in large steps only and stands still in between.
 */
import type { SystemBody, ViewMessage } from '../../protocol/messages.ts';
import { clearResults, type ResultIndex } from './result-index.ts';

const EDIT_TYPE = 'clear_tool_uses_20250919';

export interface ApiClearing {
  /** How many results of the view, counted from the oldest, the API was asked to clear. */
  count(index: ResultIndex): number;
  /** From now on, the re-runnable ones among the first `count` results. */
  ask(index: ResultIndex, count: number): void;
  /** `context_management` for a request with these results; undefined when there is nothing to clear. */
  request(index: ResultIndex): unknown;
  /** The messages as they count where the API clears. */
  asCounted(messages: readonly ViewMessage[]): readonly ViewMessage[];
  /** A clearing was asked for that no response has reported yet: an estimate made before it proves nothing. */
  readonly unreported: boolean;
  /** The results are cleared in the view itself now. */
  reset(): void;
  /** The boundary, once a response has reported the clearing that was asked for last. */
  announce(applied: unknown): SystemBody | undefined;
}

/** `minTokens`: the API is not to clear less, for its cached prompt ends at the first result cleared. */
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
    // A compaction may have taken the last of them out of the view.
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
      // When to clear is decided here; the API is only told what.
      trigger: { type: 'tool_uses', value: 1 },
      keep: { type: 'tool_uses', value: results.length - upTo },
      // Half of the estimate at most: a clearing that comes undone costs more than one that frees less than it should.
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

/** `{applied_edits: [{type, cleared_tool_uses, cleared_input_tokens}]}`, as far as it is what it should be. */
function clearedTokens(applied: unknown): number | undefined {
  const edits: unknown = isRecord(applied) ? applied['applied_edits'] : undefined;
  if (!Array.isArray(edits)) return undefined;
  const edit: unknown = edits.find((candidate) => isRecord(candidate) && candidate['type'] === EDIT_TYPE);
  const tokens: unknown = isRecord(edit) ? edit['cleared_input_tokens'] : undefined;
  return typeof tokens === 'number' ? tokens : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
