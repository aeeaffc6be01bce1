/** The keyboard of a terminal: its modes while it is read, and its bytes as events. */
import { createDecoder, type PasteMarks } from './decoder.ts';
import type { InputClock, InputEvent, ReplyEvent } from './events.ts';

interface InputOptions {
  readonly input: NodeJS.ReadStream;
  /** Writes to the terminal at once. */
  readonly write: (text: string) => void;
  readonly clock: InputClock;
  readonly onEvent: (event: InputEvent) => void;
  /** The terminal is gone: its input ended or failed. */
  readonly onEnd?: () => void;
  /** Default true. False asks the terminal nothing: it keeps its own encoding of keys. */
  readonly probe?: boolean;
  /** Says by its names which terminal it is. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface Input {
  /**
   * Takes the keyboard: raw mode, marked pastes, and the best encoding of keys that the terminal answers for.
   */
  start(): void;
  /**
   * Gives it back, for an editor or a suspended process; `start` takes it again. What is half typed is
   * emitted.
   */
  stop(): void;
  /** Like `stop`, for good: the process need not stay alive for its input. */
  close(): void;
  /**
   * What puts the terminal back if it is written now: for a handler of the process's exit. Empty when
   * stopped.
   */
  readonly restoreText: string;
}

const PASTES = { on: '\x1b[?2004h', off: '\x1b[?2004l', ask: '\x1b[?2004$p' };
/** Unambiguous keys, with the key that Shift makes and the one of a Latin keyboard. */
const KITTY = { ask: '\x1b[?u', on: '\x1b[>5u', off: '\x1b[<u' };
/** The terminal knows the mode, and never switches it on. */
const PERMANENTLY_OFF = 4;
/** For terminals that know nothing of the above; they ignore it, or report Shift+Enter and the like. */
const MODIFY_OTHER_KEYS = { on: '\x1b[>4;1m', off: '\x1b[>4;0m' };
/** Every terminal answers this one, so it shows that an earlier question stays without an answer. */
const ASK_DEVICE = '\x1b[c';

/**
 * A line that was entered before the keyboard was taken, when the terminal makes a line feed of Enter, or by
 * a program that ends lines so. Ctrl+J alone is a key.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a line has none
const LINE = /^([^\x00-\x1f]+)\n$/;

/**
 * Terminals that mark pastes and do not say so: tmux does not know the question, and that of macOS shows it
 * as text. The Linux console does neither.
 */
function knownMarks({ TMUX, TERM, TERM_PROGRAM }: NonNullable<InputOptions['env']>): PasteMarks {
  if (TERM_PROGRAM === 'Apple_Terminal') return 'marked';
  if (TMUX !== undefined && /^(?:tmux|screen)/.test(TERM ?? '')) return 'marked';
  return TERM === 'linux' ? 'unmarked' : 'unknown';
}

export function createInput(options: InputOptions): Input {
  return new TerminalInput(options);
}

class TerminalInput implements Input {
  readonly #options: InputOptions;
  readonly #decoder;
  #running = false;
  /** Undefined until the terminal has answered. */
  #keyboard: typeof KITTY | typeof MODIFY_OTHER_KEYS | undefined;
  #pasteMarks: PasteMarks;
  #hasRead = false;

  constructor(options: InputOptions) {
    this.#options = options;
    this.#pasteMarks = knownMarks(options.env ?? {});
    this.#decoder = createDecoder({
      clock: options.clock,
      pasteMarks: () => this.#pasteMarks,
      onEvent: (event) => this.#receive(event),
      afterInput: (callback) => setImmediate(callback),
    });
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    const { input, write, probe = true } = this.#options;
    if (input.isTTY) input.setRawMode(true);
    input.on('data', this.#onData);
    input.on('end', this.#onEnd);
    input.on('error', this.#onEnd);
    input.resume();
    this.#hasRead = false;
    const asksForPastes = this.#pasteMarks === 'unknown';
    write(PASTES.on + (probe ? KITTY.ask + (asksForPastes ? PASTES.ask : '') + ASK_DEVICE : ''));
  }

  stop(): void {
    if (!this.#running) return;
    const { input, write } = this.#options;
    write(this.restoreText);
    this.#running = false;
    this.#keyboard = undefined;
    input.off('data', this.#onData);
    input.off('end', this.#onEnd);
    input.off('error', this.#onEnd);
    input.pause();
    if (input.isTTY) input.setRawMode(false);
    this.#decoder.end();
  }

  close(): void {
    this.stop();
    this.#options.input.unref();
  }

  get restoreText(): string {
    return this.#running ? (this.#keyboard?.off ?? '') + PASTES.off : '';
  }

  readonly #onData = (bytes: Buffer | string) => {
    const read = Buffer.from(bytes as Buffer).toString('latin1');
    const mayBeLine = !this.#hasRead || this.#pasteMarks === 'unknown';
    this.#hasRead = true;
    this.#decoder.push(Buffer.from(mayBeLine ? read.replace(LINE, '$1\r') : read, 'latin1'));
  };

  readonly #onEnd = () => {
    this.stop();
    this.#options.onEnd?.();
  };

  #receive(event: InputEvent): void {
    if (event.kind === 'reply') this.#hear(event);
    this.#options.onEvent(event);
  }

  #hear({ of, values: [, state = 0] }: ReplyEvent): void {
    if (of === 'pastes') this.#pasteMarks = state === 0 || state === PERMANENTLY_OFF ? 'unmarked' : 'marked';
    else if (of === 'device' && this.#pasteMarks === 'unknown') this.#pasteMarks = 'unmarked';
    if (!this.#running || this.#keyboard !== undefined || (of !== 'keyboard' && of !== 'device')) return;
    this.#keyboard = of === 'keyboard' ? KITTY : MODIFY_OTHER_KEYS;
    this.#options.write(this.#keyboard.on);
  }
}
