/**
 * The wire bytes of a view's messages, kept while the view only grows (`view.root`): an iteration costs what is
 * fresh, plus handing over buffers that are already there (L10.10).
 */
import type { AssistantMessage } from '../protocol/messages.ts';
import type { View } from '../protocol/view.ts';
import { type CacheMark, joinMarked } from './cache-breakpoints.ts';
import { createNormaliser, type NormaliseRules, type Normaliser, type WireTurn } from './normalise.ts';

/** What is finished becomes bytes in portions of about this size; the rest is joined and encoded for each request. */
const PORTION_CHARS = 8 * 1024;
/** Portions grow together up to this size: a long history is a few writes. */
const MAX_PORTION_BYTES = 1024 * 1024;
/** Variants kept per view: the main request's and one more (another model, or without thinking). */
const MAX_VARIANTS = 2;

export interface MessagesBytes {
  /** The inside of the `messages` array: what is finished, then the rest as text. */
  readonly sealed: readonly Buffer[];
  readonly rest: string;
  readonly toolRunWithoutThinking: boolean;
}

export interface BytesRequest {
  readonly view: View;
  readonly userContext: readonly string[];
  /** Names everything `keepsThinking` depends on. */
  readonly thinkingKey: string;
  keepsThinking(message: AssistantMessage): boolean;
  readonly mark: CacheMark;
}

export interface ViewBytes {
  messages(request: BytesRequest): MessagesBytes;
}

export function createViewBytes(): ViewBytes {
  const kept = new WeakMap<object, Variant[]>();
  return {
    messages(request) {
      const variants = kept.get(request.view.root) ?? [];
      const known = variants.find((variant) => isFor(variant, request));
      if (known !== undefined && known.growing.length <= request.view.length) {
        return known.growing.extend(request.view, request.mark);
      }
      const growing = new Growing(request);
      // A shorter version of a view that has grown is worked out afresh; what is kept stays with the longer one.
      if (known === undefined) {
        const { thinkingKey, userContext } = request;
        kept.set(request.view.root, [
          ...variants.slice(1 - MAX_VARIANTS),
          { thinkingKey, userContext, growing },
        ]);
      }
      return growing.extend(request.view, request.mark);
    },
  };
}

interface Variant {
  readonly thinkingKey: string;
  readonly userContext: readonly string[];
  readonly growing: Growing;
}

function isFor(variant: Variant, { thinkingKey, userContext }: BytesRequest): boolean {
  return (
    variant.thinkingKey === thinkingKey &&
    variant.userContext.length === userContext.length &&
    variant.userContext.every((text, at) => text === userContext[at])
  );
}

/** The bytes of one growing view: sealed blocks of bytes, then text, then the two newest exchanges, which may carry marks. */
class Growing {
  readonly #normaliser: Normaliser;
  readonly #sealed: Buffer[] = [];
  #text: string[] = [];
  #textChars = 0;
  #previous: readonly WireTurn[] = [];
  #started = false;
  #length = 0;

  constructor(rules: NormaliseRules) {
    this.#normaliser = createNormaliser(rules);
  }

  /** Messages of the view that were read. */
  get length(): number {
    return this.#length;
  }

  extend(view: View, mark: CacheMark): MessagesBytes {
    for (const message of view.slice(this.#length)) {
      for (const exchange of this.#normaliser.add(message)) {
        this.#seal(this.#previous);
        this.#previous = exchange;
      }
    }
    this.#length = view.length;
    const rest = [...this.#text];
    for (const turn of this.#previous) rest.push(turnJson(turn, turn.role === 'user' ? mark : undefined));
    for (const turn of this.#normaliser.open())
      rest.push(turnJson(turn, turn.role === 'user' ? mark : undefined));
    return {
      sealed: [...this.#sealed],
      rest: (this.#sealed.length > 0 ? ',' : '') + rest.join(','),
      toolRunWithoutThinking: this.#normaliser.toolRunWithoutThinking,
    };
  }

  #seal(turns: readonly WireTurn[]): void {
    for (const turn of turns) {
      const json = turnJson(turn, undefined);
      this.#text.push(json);
      this.#textChars += json.length;
    }
    if (this.#textChars < PORTION_CHARS) return;
    this.#keep(Buffer.from((this.#started ? ',' : '') + this.#text.join(',')));
    this.#started = true;
    this.#text = [];
    this.#textChars = 0;
  }

  /** Neighbours of like size become one, so that n bytes are copied about log n times in all. */
  #keep(portion: Buffer): void {
    let grown = portion;
    for (let last = this.#sealed.at(-1); last !== undefined; last = this.#sealed.at(-1)) {
      if (last.length > 2 * grown.length || last.length + grown.length > MAX_PORTION_BYTES) break;
      this.#sealed.pop();
      grown = Buffer.concat([last, grown]);
    }
    this.#sealed.push(grown);
  }
}

function turnJson(turn: WireTurn, mark: CacheMark): string {
  return `{"role":"${turn.role}","content":[${joinMarked(turn.blocks, mark)}]}`;
}
