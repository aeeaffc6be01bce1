/**
 * Collects one content block's deltas. Linear: pieces are joined, and JSON is parsed, once, at the block's
 * end.
 */

import { readJsonObject } from '@turnwright/base/bounded-json.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { AssistantBlock, BlockDelta } from '../../protocol/model/wire.ts';
import type { ToolCall } from '../../protocol/tools/tool-call.ts';
import { DELTAS_PER_PIECE } from '../limits.ts';

export class BlockBuilder {
  readonly type: AssistantBlock['type'];
  /** When the block's first event arrived, on the monotonic clock. */
  readonly startedMs: number;
  readonly #start: AssistantBlock;
  /**
   * Earlier deltas, joined: a few long strings are cheaper for the garbage collector than many short ones.
   */
  readonly #joined: string[] = [];
  #pieces: string[] = [];
  readonly #citations: unknown[] = [];
  /** What deltas said of a block of another type, as a whole. */
  #said: Readonly<Record<string, unknown>> | undefined;
  #signature: string;
  #parsed: { readonly input: JsonObject | undefined } | undefined;

  constructor(start: AssistantBlock, startedMs: number) {
    this.#start = start;
    this.startedMs = startedMs;
    this.type = start.type;
    this.#signature = start.type === 'thinking' ? (start.signature ?? '') : '';
    const opening = start.type === 'text' ? start.text : start.type === 'thinking' ? start.thinking : '';
    if (opening) this.#pieces.push(opening);
  }

  /** Returns how many characters of output the delta held. */
  append(delta: BlockDelta): number {
    switch (delta.type) {
      case 'text_delta':
        return this.#add(delta.text);
      case 'thinking_delta':
        return this.#add(delta.thinking);
      case 'input_json_delta':
        return this.#add(delta.partial_json);
      case 'signature_delta':
        this.#signature = delta.signature;
        return 0;
      case 'citations_delta':
        this.#citations.push(delta.citation);
        return 0;
      case 'compaction_delta': {
        const { type: _, ...said } = delta;
        this.#said = { ...this.#said, ...said };
        return delta.content?.length ?? 0;
      }
      default:
        return 0;
    }
  }

  /** A call with empty or unparsable input: the output cap may have truncated it. */
  get mayBeCut(): boolean {
    if (this.#start.type !== 'tool_use' || hasInput(this.#start.input)) return false;
    return this.#input() === undefined;
  }

  /** The finished block; undefined when there is nothing worth keeping. */
  finish(cut: boolean): {
    readonly block: AssistantBlock | undefined;
    readonly unparsed?: NonNullable<ToolCall['unparsed']>;
  } {
    const start = this.#start;
    const text = this.#text();
    switch (start.type) {
      case 'text':
        // The API refuses empty and blank text in a history (F08).
        if (text.trim() === '') return { block: undefined };
        return {
          block:
            this.#citations.length > 0
              ? { type: 'text', text, citations: this.#citations }
              : { type: 'text', text },
        };
      case 'thinking':
        // Unsigned thinking cannot be replayed (F120).
        return {
          block:
            this.#signature === ''
              ? undefined
              : { type: 'thinking', thinking: text, signature: this.#signature },
        };
      case 'tool_use': {
        const { id, name } = start;
        const callWith = (input: JsonObject): AssistantBlock => ({ type: 'tool_use', id, name, input });
        if (text === '' && !cut) return { block: callWith(start.input ?? {}) };
        const input = cut ? undefined : this.#input();
        if (input !== undefined) return { block: callWith(input) };
        return {
          block: callWith({ __unparsedToolInput: { raw: text, len: text.length } }),
          unparsed: { raw: text, cut },
        };
      }
      default: {
        // A call of a tool that the provider runs grows as a call does.
        const input = text === '' ? undefined : this.#input();
        return { block: { ...start, ...(input !== undefined && { input }), ...this.#said } };
      }
    }
  }

  #add(piece: string): number {
    if (this.#pieces.length === DELTAS_PER_PIECE) this.#joined.push(this.#pieces.splice(0).join(''));
    this.#pieces.push(piece);
    return piece.length;
  }

  /** The whole text; from then on kept as one piece. */
  #text(): string {
    this.#pieces = [[...this.#joined.splice(0), ...this.#pieces].join('')];
    return this.#pieces[0] as string;
  }

  /** Parsed once: a long input is megabytes. */
  #input(): JsonObject | undefined {
    const text = this.#text();
    this.#parsed ??= { input: readJsonObject(text) as JsonObject | undefined };
    return this.#parsed.input;
  }
}

const hasInput = (input: JsonObject | undefined): boolean =>
  input !== undefined && Object.keys(input).length > 0;
