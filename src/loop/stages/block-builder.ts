/** Collects one content block's deltas. Linear: pieces are joined, and JSON is parsed, once, at the block's end. */
import type { JsonObject } from '../../protocol/json.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import type { AssistantBlock, BlockDelta } from '../../protocol/wire.ts';

export class BlockBuilder {
  readonly type: AssistantBlock['type'];
  readonly #start: AssistantBlock;
  #pieces: string[] = [];
  readonly #citations: unknown[] = [];
  #signature: string;
  #parsed: { readonly input: JsonObject | undefined } | undefined;

  constructor(start: AssistantBlock) {
    this.#start = start;
    this.type = start.type;
    this.#signature = start.type === 'thinking' ? (start.signature ?? '') : '';
    const opening = start.type === 'text' ? start.text : start.type === 'thinking' ? start.thinking : '';
    if (opening) this.#pieces.push(opening);
  }

  /** Returns how many characters of output the delta held. */
  append(delta: BlockDelta): number {
    switch (delta.type) {
      case 'text_delta':
        this.#pieces.push(delta.text);
        return delta.text.length;
      case 'thinking_delta':
        this.#pieces.push(delta.thinking);
        return delta.thinking.length;
      case 'input_json_delta':
        this.#pieces.push(delta.partial_json);
        return delta.partial_json.length;
      case 'signature_delta':
        this.#signature = delta.signature;
        return 0;
      case 'citations_delta':
        this.#citations.push(delta.citation);
        return 0;
      default:
        return 0;
    }
  }

  /** A call with empty or unparsable input: it may have been cut in two by the output cap. */
  get mayBeCut(): boolean {
    if (this.#start.type !== 'tool_use' || hasInput(this.#start.input)) return false;
    return this.#pieces.length === 0 || this.#input() === undefined;
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
        const base = { type: 'tool_use' as const, id: start.id, name: start.name };
        if (text === '' && !cut) return { block: { ...base, input: start.input ?? {} } };
        const input = cut ? undefined : this.#input();
        if (input !== undefined) return { block: { ...base, input } };
        return {
          block: { ...base, input: { __unparsedToolInput: { raw: text, len: text.length } } },
          unparsed: { raw: text, cut },
        };
      }
      default:
        return { block: start };
    }
  }

  /** All of it, in one piece from then on. */
  #text(): string {
    if (this.#pieces.length !== 1) this.#pieces = [this.#pieces.join('')];
    return this.#pieces[0] as string;
  }

  /** Parsed once: a long input is megabytes. */
  #input(): JsonObject | undefined {
    const text = this.#text();
    this.#parsed ??= { input: parsed(text) };
    return this.#parsed.input;
  }
}

function parsed(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

const hasInput = (input: JsonObject | undefined): boolean =>
  input !== undefined && Object.keys(input).length > 0;
