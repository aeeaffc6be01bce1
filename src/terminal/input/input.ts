/** The keyboard of a terminal: its modes while it is read, and its bytes as events. */
import { createDecoder } from './decoder.ts';
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

const PASTES = { on: '\x1b[?2004h', off: '\x1b[?2004l' };
/** Unambiguous keys, with the key that Shift makes and the one of a Latin keyboard. */
const KITTY = { ask: '\x1b[?u', on: '\x1b[>5u', off: '\x1b[<u' };
/** For terminals that know nothing of the above; they ignore it, or report Shift+Enter and the like. */
const MODIFY_OTHER_KEYS = { on: '\x1b[>4;1m', off: '\x1b[>4;0m' };
/** Every terminal answers this one, so it shows that an earlier question stays without an answer. */
const ASK_DEVICE = '\x1b[c';

export function createInput(options: InputOptions): Input {
  return new TerminalInput(options);
}

class TerminalInput implements Input {
  readonly #options: InputOptions;
  readonly #decoder;
  #running = false;
  /** Undefined until the terminal has answered. */
  #keyboard: typeof KITTY | typeof MODIFY_OTHER_KEYS | undefined;

  constructor(options: InputOptions) {
    this.#options = options;
    this.#decoder = createDecoder({
      clock: options.clock,
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
    write(PASTES.on + (probe ? KITTY.ask + ASK_DEVICE : ''));
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
    this.#decoder.push(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  };

  readonly #onEnd = () => {
    this.stop();
    this.#options.onEnd?.();
  };

  #receive(event: InputEvent): void {
    if (event.kind === 'reply') this.#choose(event);
    this.#options.onEvent(event);
  }

  #choose({ of }: ReplyEvent): void {
    if (!this.#running || this.#keyboard !== undefined || (of !== 'keyboard' && of !== 'device')) return;
    this.#keyboard = of === 'keyboard' ? KITTY : MODIFY_OTHER_KEYS;
    this.#options.write(this.#keyboard.on);
  }
}
