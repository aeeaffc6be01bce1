/** A run whose events are read by connections: it goes on while one of them is there. */
import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import type { SDKMessage } from '@turnwright/engine/protocol/stream/sdk-messages.ts';
import type { CanUseTool } from '@turnwright/engine/protocol/tools/can-use-tool.ts';
import { EventLog } from './event-log.ts';
import { createAsks } from './page-asks.ts';
import type { PageAnswer, PageError, PageEvent } from './page-events.ts';

/** What `query()` returns, or any other iterable of its messages. */
export interface AgentMessages extends AsyncIterable<SDKMessage> {
  /** Stops the running turn, which still yields its result. */
  interrupt?(): Promise<unknown>;
}

export interface RunOptions {
  /**
   * What a page receives of a message; undefined: nothing. Default: every message, unchanged.
   *
   * @example
   * ```ts
   * // Pages see what the model says, and the result.
   * const options: WebAgentOptions = {
   *   show: (message) => (message.type === 'assistant' || message.type === 'result' ? message : undefined),
   * };
   * ```
   */
  readonly show?: (message: SDKMessage) => SDKMessage | undefined;
  /**
   * The sentence that a page receives for an error. Default: the message of a TurnwrightError, and for any
   * other error one without details, because it may contain what only the server should know.
   *
   * @example
   * ```ts
   * const options: WebAgentOptions = {
   *   errorText: (error) => (error instanceof TurnwrightError ? error.message : 'Please try again later.'),
   * };
   * ```
   */
  readonly errorText?: (error: unknown) => string;
}

/** Runs to the end of its iterable, or until the last connection has been gone for `graceMs`. */
export class LiveRun {
  readonly #log = new EventLog();
  readonly #asks = createAsks((event) => this.#log.add(event));
  readonly #ended = new AbortController();
  readonly #options: RunOptions & { readonly graceMs: number; readonly clock: Pick<Clock, 'timer'> };
  #messages: AgentMessages | undefined;
  #iterator: AsyncIterator<SDKMessage> | undefined;
  #readers = 0;
  #cancelGrace = () => {};

  readonly id: string;

  constructor(
    id: string,
    options: RunOptions & { readonly graceMs: number; readonly clock: Pick<Clock, 'timer'> },
  ) {
    this.id = id;
    this.#options = options;
    this.#log.add({ event: 'run', data: { run: id } });
  }

  get canUseTool(): CanUseTool {
    return this.#asks.canUseTool;
  }

  /** Fires when the run has ended, or its last connection is gone for good. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Resolves when the run has ended. Never rejects. */
  async drive(messages: AgentMessages): Promise<void> {
    this.#messages = messages;
    this.#iterator = messages[Symbol.asyncIterator]();
    if (this.#ended.signal.aborted) await this.#iterator.return?.();
    let failed: string | undefined;
    try {
      while (!this.#ended.signal.aborted) {
        const { done, value } = await this.#iterator.next();
        if (done === true) break;
        if (value.type === 'result') failed = findFailure(value);
        const shown = this.#options.show === undefined ? value : this.#options.show(value);
        if (shown !== undefined) this.#log.add({ event: 'message', data: shown });
      }
    } catch (error) {
      this.#log.add({ event: 'error', data: this.#errorOf(error, failed) });
    } finally {
      this.#end();
    }
  }

  /** Events behind `after` until the end, or until `signal` fires; the reader counts from now until then. */
  events(after: number, signal: AbortSignal): AsyncGenerator<PageEvent, void, void> {
    this.#readers += 1;
    this.#cancelGrace();
    let here = true;
    const leave = () => {
      if (here) this.#readers -= 1;
      if (here && this.#readers === 0) this.#left();
      here = false;
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return this.#read(after, signal, leave);
  }

  /** False: there is no such question. */
  answer(ask: string, answer: PageAnswer): boolean {
    return this.#asks.answer(ask, answer);
  }

  /** Stops the turn; the page still receives its result. Without a way to interrupt the run is ended. */
  async interrupt(): Promise<void> {
    if (this.#messages?.interrupt === undefined) this.#stop();
    else await this.#messages.interrupt();
  }

  async *#read(after: number, signal: AbortSignal, leave: () => void): AsyncGenerator<PageEvent, void, void> {
    try {
      for (let last = after; !signal.aborted; ) {
        const event = this.#log.after(last);
        if (event !== undefined) {
          last = event.id;
          yield event;
          if (event.event === 'end') return;
        } else if (this.#log.ended) return;
        else await this.#log.changed(signal);
      }
    } finally {
      leave();
    }
  }

  #left(): void {
    if (this.#ended.signal.aborted) return;
    const { graceMs, clock } = this.#options;
    if (graceMs <= 0) this.#stop();
    else this.#cancelGrace = clock.timer(graceMs, () => this.#stop());
  }

  #stop(): void {
    this.#end();
    void this.#iterator?.return?.().catch(() => undefined);
  }

  #end(): void {
    this.#cancelGrace();
    this.#asks.withdraw();
    this.#log.add({ event: 'end', data: {} });
    this.#ended.abort();
  }

  #errorOf(error: unknown, failed: string | undefined): PageError {
    const code = findOwnCode(error);
    const known = code === 'error_result' ? failed : undefined;
    const message = known ?? (this.#options.errorText ?? errorSentence)(error);
    return { message, ...(code !== undefined && { code }) };
  }
}

/** The sentence of a result that is an error. */
function findFailure(result: Extract<SDKMessage, { type: 'result' }>): string | undefined {
  if (!result.is_error) return undefined;
  return result.subtype === 'success' ? result.result : result.errors.join(' ');
}

const isOurs = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error &&
  (error.name === 'TurnwrightError' || error.name === 'AbortError') &&
  typeof (error as { readonly code?: unknown }).code === 'string';

const findOwnCode = (error: unknown) => (isOurs(error) ? error.code : undefined);

/** What a page receives for an error; other errors may contain what only the server should know. */
export const errorSentence = (error: unknown): string =>
  isOurs(error) ? error.message : 'The run failed on the server; its log says why.';
