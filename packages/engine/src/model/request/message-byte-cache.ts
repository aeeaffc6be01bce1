/**
 * The wire bytes of a view's messages, kept while the view only grows (`view.root`): an iteration serialises
 * only fresh messages and reuses buffers for the rest (L10.10).
 */

import type { AssistantMessage } from '../../protocol/model/messages.ts';
import type { ConversationEffort } from '../../protocol/model/provider-wire.ts';
import type { View } from '../../protocol/model/view.ts';
import type { EffortLevel } from '../../protocol/model/wire.ts';
import { isVendorSignature } from '../vendor-reasoning.ts';
import { type CacheMark, joinMarked } from './engine-breakpoints.ts';
import type { NewestTurns } from './message-threads.ts';
import {
  createEffortLookup,
  createNormaliser,
  type NormaliseRules,
  type Normaliser,
  type References,
  type WireTurn,
} from './normalise.ts';
import { NO_TOOLS } from './offered-tools.ts';

/**
 * Finished text is encoded in portions of about this size; the rest is joined and encoded for each request.
 */
const PORTION_CHARS = 2 * 1024;
/** Variants kept per view: the main request and one more (another model, or without thinking). */
const MAX_VARIANTS = 2;

interface MessagesBytes {
  /** The inside of the `messages` array: finished bytes, then the rest as text. */
  readonly sealed: readonly Buffer[];
  readonly rest: string;
  readonly toolRunWithoutThinking: boolean;
  /** Tools that the conversation loads by references. */
  readonly referenced: ReadonlySet<string>;
  /** Of the first answer, where later ones are asked for with changes inside the conversation. */
  readonly firstEffort: EffortLevel | undefined;
  /** There are such changes. */
  readonly changesEffort: boolean;
  readonly newest: NewestTurns;
}

interface BytesRequest {
  readonly view: View;
  readonly userContext: readonly string[];
  /** A key of everything that `keepsThinking` depends on. */
  readonly thinkingKey: string;
  /** Kept with the bytes, so it must not reference this request. */
  readonly keepsThinking: (message: AssistantMessage) => boolean;
  readonly mark: CacheMark;
  /** Tools that results of searches may refer to. Default none. */
  readonly loadable?: ReadonlySet<string>;
  /** undefined: the API takes no changes. */
  readonly effort?: ConversationEffort | undefined;
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
        return known.growing.extend(request);
      }
      const { thinkingKey, userContext, keepsThinking } = request;
      const growing = new Growing({
        userContext,
        keepsThinking: withoutVendors(keepsThinking),
        effortOf: request.effort && createEffortLookup(request.effort),
      });
      // A shorter version of a view that has grown is serialised anew; the cache stays with the longer one.
      if (known === undefined) {
        kept.set(request.view.root, [
          ...variants.slice(1 - MAX_VARIANTS),
          { thinkingKey, userContext, effort: request.effort?.byDefault, growing },
        ]);
      }
      return growing.extend(request);
    },
  };
}

/** Reasoning of other APIs is never sent to this one (F119). */
const withoutVendors =
  (keepsThinking: BytesRequest['keepsThinking']) =>
  (answer: AssistantMessage): boolean =>
    keepsThinking(answer) &&
    !answer.message.content.some((block) => block.type === 'thinking' && isVendorSignature(block.signature));

interface Variant {
  readonly thinkingKey: string;
  readonly userContext: readonly string[];
  /** The default one; undefined: changes are not sent. */
  readonly effort: EffortLevel | undefined;
  readonly growing: Growing;
}

function isFor(
  variant: Variant,
  { thinkingKey, userContext, loadable = NO_TOOLS, effort }: BytesRequest,
): boolean {
  return (
    variant.effort === effort?.byDefault &&
    variant.thinkingKey === thinkingKey &&
    variant.growing.suits(loadable) &&
    variant.userContext.length === userContext.length &&
    variant.userContext.every((text, at) => text === userContext[at])
  );
}

/**
 * The bytes of one growing view: encoded portions, then text, then the two newest exchanges, which may carry
 * breakpoints.
 */
class Growing {
  readonly #normaliser: Normaliser;
  readonly #sealed = new GrowingBytes();
  #text: string[] = [];
  #textChars = 0;
  #previous: readonly WireTurn[] = [];
  #changesEffort = false;
  #length = 0;
  /** Turns in front of the newest two exchanges. */
  #turns = 0;

  constructor(rules: NormaliseRules) {
    this.#normaliser = createNormaliser(rules);
  }

  /** Messages of the view that were read. */
  get length(): number {
    return this.#length;
  }

  /** Whether what refers to a tool, or could not, would do so again. */
  suits(loadable: ReadonlySet<string>): boolean {
    const { made, missed }: References = this.#normaliser.references;
    for (const name of made) if (!loadable.has(name)) return false;
    for (const name of missed) if (loadable.has(name)) return false;
    return true;
  }

  extend({ view, mark, loadable, effort }: BytesRequest): MessagesBytes {
    for (const message of view.slice(this.#length)) {
      for (const exchange of this.#normaliser.add(message, loadable)) {
        this.#seal(this.#previous);
        this.#previous = exchange;
      }
    }
    this.#length = view.length;
    const open = this.#normaliser.open(effort?.now);
    const turns = [...this.#previous, ...open];
    const rest = [...this.#text, ...turns.map((turn) => markedJson(turn, mark))];
    return {
      sealed: this.#sealed.parts(),
      rest: (this.#sealed.isEmpty ? '' : ',') + rest.join(','),
      toolRunWithoutThinking: this.#normaliser.toolRunWithoutThinking(),
      referenced: this.#normaliser.references.made,
      firstEffort: this.#normaliser.firstEffort,
      changesEffort: this.#changesEffort || turns.some(isEffort),
      newest: {
        of: this,
        from: this.#turns,
        turns,
        settled: this.#turns + this.#previous.length,
      },
    };
  }

  #seal(turns: readonly WireTurn[]): void {
    this.#turns += turns.length;
    for (const turn of turns) {
      this.#changesEffort ||= isEffort(turn);
      const json = turnJson(turn, undefined);
      this.#text.push(json);
      this.#textChars += json.length;
    }
    if (this.#textChars < PORTION_CHARS) return;
    // Appended in one call: a comma in front of the text would copy it.
    this.#sealed.append((this.#sealed.isEmpty ? this.#text : ['', ...this.#text]).join(','));
    this.#text = [];
    this.#textChars = 0;
  }
}

const isEffort = ({ effort }: WireTurn): boolean => effort !== undefined;

function turnJson(turn: WireTurn, mark: CacheMark): string {
  if (turn.effort !== undefined)
    return `{"role":"system","content":[],"output_config":{"effort":"${turn.effort}"}}`;
  return `{"role":"${turn.role}","content":[${joinMarked(turn.blocks, mark)}]}`;
}

/** With a breakpoint if it is a turn of the user. */
export const markedJson = (turn: WireTurn, mark: CacheMark): string =>
  turnJson(turn, turn.role === 'user' ? mark : undefined);

const MIN_PART_BYTES = 16 * 1024;
const MAX_PART_BYTES = 1024 * 1024;
/** Maximum bytes of UTF-8 per UTF-16 code unit. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * UTF-8 text that only grows. Each part has capacity for about as much as all parts before it, within bounds,
 * so nothing is copied twice and a long text has few parts. Bytes that were handed out never change.
 */
class GrowingBytes {
  readonly #full: Buffer[] = [];
  #part = Buffer.alloc(0);
  #used = 0;
  #total = 0;

  get isEmpty(): boolean {
    return this.#total === 0;
  }

  append(text: string): void {
    // Measured only where it may not fit.
    const room = this.#part.length - this.#used;
    const bytes = MOST_BYTES_PER_UNIT * text.length <= room ? 0 : Buffer.byteLength(text);
    if (bytes > room) {
      if (this.#used > 0) this.#full.push(this.#part.subarray(0, this.#used));
      const ample = Math.min(Math.max(this.#total, MIN_PART_BYTES), MAX_PART_BYTES);
      this.#part = Buffer.allocUnsafeSlow(Math.max(ample, bytes));
      this.#used = 0;
    }
    const written = this.#part.write(text, this.#used);
    this.#used += written;
    this.#total += written;
  }

  parts(): readonly Buffer[] {
    return this.#used === 0 ? [...this.#full] : [...this.#full, this.#part.subarray(0, this.#used)];
  }
}
