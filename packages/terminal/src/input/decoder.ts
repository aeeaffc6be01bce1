/**
 * Bytes of a terminal into events. How the bytes are split into reads makes no difference; only time does, in
 * three places: an escape is a key of its own when nothing follows it, many characters at once are a paste
 * unless the terminal marks pastes, and a paste ends when it is quiet after its end.
 */
import { StringDecoder } from 'node:string_decoder';
import type { InputClock, InputEvent } from './events.ts';
import { type Key, type Meaning, plainKey } from './meaning.ts';
import { cleanPaste, PASTE_END, PASTE_START, readUnfinished, tokenAt } from './tokens.ts';

/** How long the rest of a sequence may take. */
const SEQUENCE_MS = 50;
/**
 * The burst rule: this many bytes of text within this time are a paste of a terminal that does not mark it.
 */
const BURST_BYTES = 8;
const BURST_MS = 10;
/** A paste is complete when nothing has come for this long. */
const QUIET_MS = 60;
/** The same for a marked paste whose end does not come. */
const LOST_END_MS = 2_000;

const MARKS = [PASTE_START, PASTE_END];

/** One line, with Enter behind it. */
const ENTERED_LINE = /^([^\n]+)\n$/;

interface Decoder {
  push(bytes: Uint8Array): void;
  /** Emits what is still held; no timer is left. */
  end(): void;
}

/**
 * Whether the terminal marks what is pasted. `unknown`: it has not answered, or nothing answers because a
 * program types: many characters at once with Enter behind them are a line that was entered.
 */
export type PasteMarks = 'marked' | 'unmarked' | 'unknown';

interface DecoderOptions {
  readonly clock: InputClock;
  /** Default: `unmarked`. */
  readonly pasteMarks?: () => PasteMarks;
  readonly onEvent: (event: InputEvent) => void;
  /**
   * Calls back once input that has already arrived was pushed. After a pause of the process a timer fires
   * before the input is read that came in time. Default: at once.
   */
  readonly afterInput?: (callback: () => void) => void;
}

/**
 * `keys`: tokens are keys. `burst`: what came is a paste without marks, until it is quiet. `paste`: between
 * the marks. `pasted`: after the end mark, which may be a part of what was pasted: the true one is followed
 * by a pause.
 */
type Mode = 'keys' | 'burst' | 'paste' | 'pasted';

type TimerName = 'sequence' | 'burst' | 'quiet';

interface HeldKey {
  readonly key: Key;
  readonly text: string | undefined;
  readonly atMs: number;
}

export function createDecoder(options: DecoderOptions): Decoder {
  return new TerminalDecoder(options);
}

class TerminalDecoder implements Decoder {
  readonly #options: DecoderOptions;
  readonly #utf8 = new StringDecoder('utf8');
  #mode: Mode = 'keys';
  /** Not yet cut: the beginning of a sequence or of a mark, or what came right after a paste. */
  #pending = '';
  readonly #pasted: string[] = [];
  #hasSeenMark = false;
  /**
   * Within the time of the burst rule: its keys, unless they could be emitted at once, and its bytes of text.
   */
  #burst: { readonly held: HeldKey[]; bytes: number } | undefined;
  readonly #timers = new Map<TimerName, () => void>();

  constructor(options: DecoderOptions) {
    this.#options = options;
  }

  push(bytes: Uint8Array): void {
    this.#cancel('sequence');
    this.#feed(this.#utf8.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)), true);
  }

  end(): void {
    this.#feed(this.#utf8.end(), false);
    while (this.#mode !== 'keys') this.#endPaste();
    this.#closeBurst();
    this.#emitUnfinished();
    for (const name of this.#timers.keys()) this.#cancel(name);
  }

  /** `alone`: this is all that was read; a single key can then be emitted without waiting for a burst. */
  #feed(text: string, alone: boolean): void {
    let rest: string | undefined = this.#pending + text;
    this.#pending = '';
    for (let first = true; rest !== undefined; first = false) rest = this.#step(rest, alone && first);
  }

  /** Takes what belongs to the mode, and returns the rest when the mode is another now. */
  #step(text: string, alone: boolean): string | undefined {
    switch (this.#mode) {
      case 'keys':
        return this.#keys(text, alone);
      case 'burst':
        return this.#moreOfBurst(text);
      case 'paste':
        return this.#moreOfPaste(text);
      case 'pasted':
        return this.#afterPaste(text);
    }
  }

  // Keys

  #keys(text: string, alone: boolean): string | undefined {
    let at = 0;
    while (at < text.length) {
      const token = tokenAt(text, at);
      if (token === undefined) break;
      const single = alone && at === 0 && token.end === text.length;
      at = token.end;
      this.#take(token.meaning, single);
      if (this.#mode !== 'keys') return text.slice(at);
    }
    this.#pending = text.slice(at);
    if (this.#pending !== '') this.#wait('sequence', SEQUENCE_MS, () => this.#emitUnfinished());
    return undefined;
  }

  #take(meaning: Meaning, single: boolean): void {
    switch (meaning.kind) {
      case 'nothing':
      case 'paste-end':
        return;
      case 'reply':
        this.#options.onEvent(meaning);
        return;
      case 'paste-start':
        this.#hasSeenMark = true;
        this.#closeBurst();
        this.#mode = 'paste';
        this.#waitForQuiet(LOST_END_MS);
        return;
      case 'key':
        this.#takeKey(meaning, single);
    }
  }

  #takeKey({ key, text }: Meaning & { readonly kind: 'key' }, single: boolean): void {
    const atMs = this.#options.clock.monotonicMs();
    if (this.#marks === 'marked') {
      this.#emitKey(key, atMs);
      return;
    }
    if (this.#burst === undefined) {
      this.#burst = { held: [], bytes: 0 };
      this.#wait('burst', BURST_MS, () => this.#closeBurst());
    }
    const burst = this.#burst;
    if (text !== undefined) burst.bytes += Buffer.byteLength(text);
    // A key is held while it may be part of a burst. The first one need not be, unless it sends something.
    const sends = text !== undefined && key.text === undefined;
    if (burst.held.length === 0 && !sends && (single || text === undefined)) this.#emitKey(key, atMs);
    else burst.held.push({ key, text, atMs });
    if (burst.bytes >= BURST_BYTES) this.#startBurst(burst.held);
  }

  get #marks(): PasteMarks {
    return this.#hasSeenMark ? 'marked' : (this.#options.pasteMarks?.() ?? 'unmarked');
  }

  /** The time of the burst rule is over: what it holds were keys. */
  #closeBurst(): void {
    this.#cancel('burst');
    const held = this.#burst?.held ?? [];
    this.#burst = undefined;
    for (const { key, atMs } of held) this.#emitKey(key, atMs);
  }

  #emitKey(key: Key, atMs: number): void {
    this.#options.onEvent({ kind: 'key', ...key, atMs });
  }

  #emitUnfinished(): void {
    const keys = readUnfinished(this.#pending);
    this.#pending = '';
    if (keys.length > 0) this.#closeBurst();
    for (const key of keys) this.#emitKey(key, this.#options.clock.monotonicMs());
  }

  // Pastes

  #startBurst(held: readonly HeldKey[]): void {
    this.#cancel('burst');
    this.#burst = undefined;
    for (const { key, text, atMs } of held) {
      const typed = text ?? key.text;
      if (typed === undefined) this.#emitKey(key, atMs);
      else this.#pasted.push(typed);
    }
    this.#mode = 'burst';
  }

  #moreOfBurst(text: string): undefined {
    this.#pasted.push(text);
    this.#waitForQuiet(QUIET_MS);
  }

  #moreOfPaste(text: string): string | undefined {
    const end = text.indexOf(PASTE_END);
    if (end >= 0) {
      this.#pasted.push(text.slice(0, end));
      this.#mode = 'pasted';
      this.#waitForQuiet(QUIET_MS);
      return text.slice(end + PASTE_END.length);
    }
    this.#keepCertain(text, beginOfMark(text, PASTE_END));
    this.#waitForQuiet(LOST_END_MS);
    return undefined;
  }

  /**
   * What follows the end mark: another mark, or many bytes at once, show that the first one was pasted too.
   * Few bytes are keys.
   */
  #afterPaste(text: string): string | undefined {
    const near = text.slice(0, BURST_BYTES + PASTE_END.length);
    const mark = firstMark(near);
    const certain = mark?.index ?? text.length - Math.max(...MARKS.map((one) => beginOfMark(near, one)));
    if (Buffer.byteLength(text.slice(0, certain)) >= BURST_BYTES) {
      this.#cancel('burst');
      this.#mode = 'burst';
      return text;
    }
    if (mark !== undefined) {
      this.#cancel('burst');
      // Another paste, unless something is between them: then both marks were pasted.
      if (mark.text === PASTE_START && mark.index === 0) this.#emitPaste();
      this.#pasted.push(text.slice(0, mark.index));
      this.#mode = mark.text === PASTE_START ? 'paste' : 'pasted';
      this.#waitForQuiet(this.#mode === 'paste' ? LOST_END_MS : QUIET_MS);
      return text.slice(mark.index + mark.text.length);
    }
    this.#pending = text;
    if (text !== '' && !this.#timers.has('burst')) this.#wait('burst', BURST_MS, () => this.#endPaste());
    return undefined;
  }

  #keepCertain(text: string, uncertain: number): void {
    this.#pasted.push(text.slice(0, text.length - uncertain));
    this.#pending = text.slice(text.length - uncertain);
  }

  #waitForQuiet(ms: number): void {
    this.#wait('quiet', ms, () => this.#endPaste());
  }

  /** Keys that came after it are emitted after it. */
  #endPaste(): void {
    if (this.#mode === 'paste') this.#keepCertain(this.#pending, 0);
    this.#emitPaste();
    this.#feed('', false);
  }

  #emitPaste(): void {
    this.#cancel('quiet');
    this.#cancel('burst');
    const isLine = this.#mode === 'burst' && this.#marks === 'unknown';
    this.#mode = 'keys';
    const text = cleanPaste(this.#pasted.join(''));
    this.#pasted.length = 0;
    const atMs = this.#options.clock.monotonicMs();
    const line = isLine ? ENTERED_LINE.exec(text)?.[1] : undefined;
    this.#options.onEvent({ kind: 'paste', text: line ?? text, atMs });
    if (line !== undefined) this.#emitKey(plainKey('enter'), atMs);
  }

  // Time

  /** Calls back after `ms`, unless it is cancelled or set again, also by input that came in time. */
  #wait(name: TimerName, ms: number, callback: () => void): void {
    this.#cancel(name);
    const { clock, afterInput } = this.#options;
    let cancelled = false;
    const ring = () => {
      if (cancelled) return;
      this.#timers.delete(name);
      callback();
    };
    const cancelTimer = clock.timer(ms, () => (afterInput === undefined ? ring() : afterInput(ring)));
    this.#timers.set(name, () => {
      cancelled = true;
      cancelTimer();
    });
  }

  #cancel(name: TimerName): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }
}

/** How many characters at the end of `text` may be the beginning of `mark`. */
function beginOfMark(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1)
    if (mark.startsWith(text.slice(text.length - length))) return length;
  return 0;
}

function firstMark(text: string): { readonly text: string; readonly index: number } | undefined {
  const found = MARKS.map((mark) => ({ text: mark, index: text.indexOf(mark) }));
  return found.filter(({ index }) => index >= 0).sort((a, b) => a.index - b.index)[0];
}
