/**
 * The two regions of the screen (S6.1): finished lines, which are printed once and then belong to the
 * terminal, and below them a small live region, which is repainted.
 */
import type { Clock } from '@turnwright/base/clock.ts';
import { clean } from '../text/clean.ts';
import type { Row, ScreenFrame, Size } from './frame.ts';
import { Painter } from './paint.ts';

/** Why a frame is asked for: `key` draws it at once, `redraw` writes every row again. */
type Cause = 'key' | 'redraw';

export interface Regions {
  /** As asked last. */
  readonly size: Size;
  /**
   * Prints finished lines once, above the live region, with the next frame. The terminal wraps what is wider
   * than the window, so that copying gives the line as it was.
   */
  commit(lines: readonly Row[]): void;
  /** Asks for a frame. `draw` is called when one is due: at most 20 times a second, and at once for a key. */
  invalidate(cause?: Cause): void;
  /**
   * Erases the live region and leaves the terminal to something else (viewer, editor, Ctrl-Z), until `take`.
   */
  release(): void;
  take(): void;
  /**
   * Prints what is committed, erases the live region and restores the terminal, all in one synchronous write.
   * Safe to call twice, and from an exit handler.
   */
  close(): void;
}

/** What the regions use of a `tty.WriteStream`. */
interface RegionsOutput {
  /** false: wait for `drain`. */
  write(text: string): boolean;
  on(event: 'resize' | 'drain', listener: () => void): unknown;
  off(event: 'resize' | 'drain', listener: () => void): unknown;
}

interface RegionsOptions {
  readonly output: RegionsOutput;
  /** Asks the terminal (`askSize`): a size that was remembered is wrong right after a resize. */
  size(): Size;
  readonly clock: Clock;
  /** A window that gets narrower cuts the row of the cursor, and wraps the others only, as xterm.js does. */
  readonly cutsCursorRow?: boolean;
  /** The live region; may call `commit`. Rows wider than the window are cut, rows too many are counted. */
  draw(size: Size): ScreenFrame;
  /** Writes before it returns, as an exit handler must (`writeNow`). */
  writeNow(text: string): void;
  /** Switches off what others switched on (bracketed paste, keyboard protocol, title); read when closing. */
  restoreText?(): string;
}

const FRAME_MS = 50;
/** A key is drawn at once; keys that follow each other faster than this share a frame. */
const KEY_FRAME_MS = 8;
/** After a change of the size nothing is drawn for this long: a drag changes it many times. */
const HOLD_MS = 150;
/**
 * For this long after a change rows are so narrow that no window wraps them. Terminals wrap anew before they
 * report the new size, tmux up to 250 ms before: the rows above the cursor could not be counted.
 */
const SETTLE_MS = 450;
/**
 * A change is often followed by another one, and a frame with wide rows that is on its way then is out of
 * place: the frames of a stream are narrow for longer, until a key asks for what was typed.
 */
const STREAM_SETTLE_MS = 1_500;
/** A stream that brings no frame for this long has paused: the region is shown in full width. */
const QUIET_MS = 300;

export function createRegions(options: RegionsOptions): Regions {
  return new TwoRegions(options);
}

class TwoRegions implements Regions {
  readonly #options: RegionsOptions;
  readonly #painter: Painter;
  #size: Size;
  #committed: Row[] = [];
  #isDirty = false;
  /** The last frame was; one in full width follows. */
  #isNarrow = false;
  /** The next frame writes everything: the size changed, or something else has written. */
  #isWhole = false;
  #isReleased = false;
  #isClosed = false;
  #isDraining = false;
  #lastFrameMs = Number.NEGATIVE_INFINITY;
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  #settledAtMs = Number.NEGATIVE_INFINITY;
  #streamSettledAtMs = Number.NEGATIVE_INFINITY;
  #timer: { readonly dueMs: number; cancel(): void } | undefined;

  constructor(options: RegionsOptions) {
    this.#options = options;
    this.#painter = new Painter(options.cutsCursorRow === true);
    this.#size = options.size();
    options.output.on('resize', this.#onResize);
    options.output.on('drain', this.#onDrain);
  }

  get size(): Size {
    return this.#size;
  }

  commit(lines: readonly Row[]): void {
    for (const line of lines) this.#committed.push(...clean(line, 'sgr').split('\n'));
    if (lines.length > 0) this.invalidate();
  }

  invalidate(cause?: Cause): void {
    if (this.#isClosed) return;
    this.#isDirty = true;
    if (cause === 'redraw') this.#isWhole = true;
    if (cause === 'key') this.#streamSettledAtMs = this.#settledAtMs;
    this.#schedule(cause === 'key' ? KEY_FRAME_MS : FRAME_MS);
  }

  release(): void {
    if (this.#isReleased || this.#isClosed) return;
    this.#isReleased = true;
    this.#cancel();
    this.#options.writeNow(this.#leave());
  }

  take(): void {
    if (!this.#isReleased || this.#isClosed) return;
    this.#isReleased = false;
    this.#size = this.#options.size();
    this.invalidate('redraw');
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancel();
    this.#options.output.off('resize', this.#onResize);
    this.#options.output.off('drain', this.#onDrain);
    this.#options.writeNow((this.#options.restoreText?.() ?? '') + this.#leave());
  }

  readonly #onResize = () => {
    if (!this.#isReleased) this.#askSize();
    this.invalidate();
  };

  readonly #onDrain = () => {
    this.#isDraining = false;
    if (this.#isDirty || this.#isNarrow) this.#schedule(FRAME_MS);
  };

  /** The rows on the screen may be wrapped by a size that was not seen yet. */
  #leave(): string {
    this.#size = this.#options.size();
    return this.#painter.leave(this.#committed.splice(0), this.#size);
  }

  /** A frame `afterMs` after the last one, unless one is due before that. */
  #schedule(afterMs: number): void {
    if (this.#isReleased || this.#isClosed || this.#isDraining) return;
    const nowMs = this.#options.clock.monotonicMs();
    const dueMs = Math.max(nowMs, this.#lastFrameMs + afterMs, this.#heldUntilMs);
    if (this.#timer !== undefined && this.#timer.dueMs <= dueMs) return;
    this.#cancel();
    const cancel = this.#options.clock.timer(dueMs - nowMs, () => {
      this.#timer = undefined;
      this.#draw();
    });
    this.#timer = { dueMs, cancel };
  }

  #cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #askSize(): Size {
    const size = this.#options.size();
    if (size.columns === this.#size.columns && size.rows === this.#size.rows) return size;
    const nowMs = this.#options.clock.monotonicMs();
    this.#size = size;
    this.#isWhole = true;
    this.#heldUntilMs = nowMs + HOLD_MS;
    this.#settledAtMs = nowMs + SETTLE_MS;
    this.#streamSettledAtMs = nowMs + STREAM_SETTLE_MS;
    // Right after a change this is the real size; with the next change it may not be.
    this.#write(this.#painter.narrowed(size));
    return size;
  }

  #write(text: string): void {
    if (text !== '') this.#isDraining = !this.#options.output.write(text);
  }

  #draw(): void {
    const size = this.#askSize();
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs < this.#heldUntilMs) {
      this.#schedule(0);
      return;
    }
    const frame = this.#options.draw(size);
    this.#isNarrow = nowMs < (this.#isDirty ? this.#streamSettledAtMs : this.#settledAtMs);
    const manner = { isWhole: this.#isWhole, isNarrow: this.#isNarrow };
    const text = this.#painter.frame(frame, this.#committed.splice(0), size, manner);
    // What `draw` has committed is in this frame: it needs none of its own.
    this.#cancel();
    this.#isDirty = false;
    this.#isWhole = false;
    this.#lastFrameMs = nowMs;
    this.#write(text);
    if (this.#isNarrow) this.#schedule(Math.max(this.#settledAtMs - nowMs, QUIET_MS));
  }
}
