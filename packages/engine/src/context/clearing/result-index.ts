/**
 * The tool results of a view, oldest first, and the tokens that clearing them would free. Kept while the view
 * only grows: O(fresh).
 */
import type { UserMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { View } from '../../protocol/model/view.ts';
import type { ToolResultBlock } from '../../protocol/model/wire.ts';
import { estimateMessage } from '../estimate/token-estimate.ts';

/** Replaces a cleared result; the same bytes each time. */
export const CLEARED = '[This old result was cleared to make room. Make the call again if it is needed.]';

interface IndexedResult {
  readonly toolUseId: string;
  readonly toolName: string;
  readonly messageUuid: string;
  /** Its tool can be called again, and it is not cleared yet. */
  readonly rerunnable: boolean;
}

export interface ResultIndex {
  readonly results: readonly IndexedResult[];
  positionOf(toolUseId: string): number | undefined;
  /**
   * Number of results, counted from the oldest, that precede the newest `keep` re-runnable ones; the last of
   * them is re-runnable.
   */
  oldCount(keep: number): number;
  /** Tokens that clearing the re-runnable results from `from` up to `to` (exclusive) would free. O(1). */
  savings(from: number, to: number): number;
}

/** `isRerunnable` is called once per result. */
export function createResultIndex(isRerunnable: (toolName: string) => boolean): (view: View) => ResultIndex {
  const kept = new WeakMap<object, Growing>();
  return (view) => {
    const known = kept.get(view.root);
    const growing = known !== undefined && known.length <= view.length ? known : new Growing(isRerunnable);
    growing.extend(view);
    kept.set(view.root, growing);
    return growing;
  };
}

class Growing implements ResultIndex {
  readonly results: IndexedResult[] = [];
  length = 0;
  readonly #isRerunnable: (toolName: string) => boolean;
  /** Calls without a result so far. */
  readonly #names = new Map<string, string>();
  readonly #positions = new Map<string, number>();
  /** Indices of the re-runnable results. */
  readonly #rerunnable: number[] = [];
  /** `#sums[n]`: tokens that the first n results would free. */
  readonly #sums: number[] = [0];

  constructor(isRerunnable: (toolName: string) => boolean) {
    this.#isRerunnable = isRerunnable;
  }

  extend(view: View): void {
    for (const message of view.slice(this.length)) this.#add(message);
    this.length = view.length;
  }

  positionOf(toolUseId: string): number | undefined {
    return this.#positions.get(toolUseId);
  }

  oldCount(keep: number): number {
    const last = this.#rerunnable[this.#rerunnable.length - 1 - keep];
    return last === undefined ? 0 : last + 1;
  }

  savings(from: number, to: number): number {
    return Math.max(0, (this.#sums[to] ?? 0) - (this.#sums[from] ?? 0));
  }

  #add(message: ViewMessage): void {
    if (message.type === 'attachment' || typeof message.message.content === 'string') return;
    for (const block of message.message.content) {
      if (block.type === 'tool_use') this.#names.set(String(block['id']), String(block['name']));
      if (block.type === 'tool_result' && message.type === 'user') this.#addResult(block, message);
    }
  }

  #addResult(block: ToolResultBlock, message: UserMessage): void {
    const toolUseId = block.tool_use_id;
    const toolName = this.#names.get(toolUseId) ?? '';
    this.#names.delete(toolUseId);
    // The reason why a call did not run is kept: without it the model would try again.
    const ran = message.nonExecution === undefined;
    const rerunnable = ran && block.content !== CLEARED && this.#isRerunnable(toolName);
    const freed = rerunnable
      ? Math.max(
          0,
          estimateMessage(message) - estimateMessage(clearResults(message, (id) => id === toolUseId)),
        )
      : 0;
    if (rerunnable) this.#rerunnable.push(this.results.length);
    this.#positions.set(toolUseId, this.results.length);
    this.#sums.push((this.#sums.at(-1) ?? 0) + freed);
    this.results.push({ toolUseId, toolName, messageUuid: message.uuid, rerunnable });
  }
}

/** The message with the stub instead of these results; the structured output stays in the journal. */
export function clearResults(message: UserMessage, isCleared: (toolUseId: string) => boolean): UserMessage {
  const { content } = message.message;
  if (typeof content === 'string') return message;
  const { toolUseResult: _, ...rest } = message;
  const item: UserMessage = {
    ...rest,
    message: {
      role: 'user',
      content: content.map((block) =>
        block.type === 'tool_result' && isCleared(block.tool_use_id) ? { ...block, content: CLEARED } : block,
      ),
    },
  };
  return Object.freeze(item);
}
