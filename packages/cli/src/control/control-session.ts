/**
 * One session driven through stdin and stdout, as lines of JSON. A thin host over `query()`: requests of the
 * remote host are executed by the query's own options and methods.
 */
import { setImmediate } from 'node:timers/promises';
import {
  failureResult,
  type Options,
  type Query,
  query,
  type SDKMessage,
  type SDKResultMessage,
  TurnwrightError,
} from '@turnwright/engine';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { jsonLine, OutputClosed } from '../output.ts';
import type { Signals } from '../signals.ts';
import { answerFor } from './answer-request.ts';
import { createHostChannel } from './control-channel.ts';
import { askHost, hostOptions, linkedFlags } from './host-options.ts';
import { parseHostLine, readStreamLines, type WireFields } from './json-lines.ts';
import { delivered, demandsAnything, type LaunchDemands, NotDelivered } from './launch-demands.ts';
import { createPromptLine } from './prompt-line.ts';

interface ControlSessionOptions {
  /** Options from the flags. */
  readonly options: Options;
  /** Asks the host about calls that rules leave open; else they are denied. */
  readonly asksHost: boolean;
  /** Notifies the host of each write to the session's files. */
  readonly mirrors?: boolean;
  /** What the host has announced to send first. */
  readonly demands?: LaunchDemands;
  /** Repeats the host's answers to it. */
  readonly echoesAnswers: boolean;
  readonly stdin: AsyncIterable<Buffer | string>;
  /** Resolves once the line was handed over. */
  readonly write: (line: string) => Promise<void>;
  readonly signals: Signals;
}

/** A line that is not a message of the protocol. */
export class UnreadableLine extends Error {
  constructor(line: string) {
    super(`Error parsing streaming input line: ${line.slice(0, 200)}`);
    this.name = 'UnreadableLine';
  }
}

interface Started {
  readonly query: Query;
  readonly initialize: WireFields | undefined;
}

/** Runs until the host has closed its end and the last turn has its result. Rejects with `UnreadableLine`. */
export function runControlSession(options: ControlSessionOptions): Promise<ExitCode> {
  return new ControlSession(options).run();
}

class ControlSession {
  readonly #session: ControlSessionOptions;
  readonly #options: Options;
  readonly #cwd: string;
  readonly #channel: ReturnType<typeof createHostChannel>;
  readonly #prompts = createPromptLine();
  readonly #withdrawn = new Set<string>();
  /** Requests of the host that are being answered. */
  readonly #answers = new Set<Promise<void>>();
  readonly #ended: Promise<ExitCode>;
  #end: (code: ExitCode) => void = () => {};
  #fail: (error: unknown) => void = () => {};
  #started: Started | undefined;
  #refused: NotDelivered | undefined;

  constructor(session: ControlSessionOptions) {
    this.#session = session;
    this.#channel = createHostChannel(this.#post);
    this.#options = linkedFlags(session.options, this.#channel);
    this.#cwd = this.#options.cwd ?? process.cwd();
    this.#ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
  }

  async run(): Promise<ExitCode> {
    this.#session.signals.attach({
      interrupt: () => this.#interrupt(),
      close: () => this.#started?.query.close(),
    });
    this.#read().catch(this.#fail);
    try {
      return await this.#ended;
    } finally {
      await this.#started?.query.close();
    }
  }

  #send(line: WireFields | SDKMessage): Promise<void> {
    return this.#session.write(jsonLine(line));
  }

  /** A closed reader is detected by messages that are awaited. */
  #post = (line: WireFields): void => void this.#send(line).catch(() => undefined);

  async #interrupt(): Promise<void> {
    this.#prompts.end();
    if (this.#started === undefined) return this.#end(EXIT.success);
    // The query must see the end of its input first: then background work does not keep it open.
    await setImmediate();
    await this.#started.query.interrupt({ cancelQueued: true });
  }

  /** Throws `NotDelivered`, each time; the first time it is also reported in a result. */
  #promised(initialize?: WireFields): Partial<Options> {
    try {
      if (this.#refused !== undefined) throw this.#refused;
      return delivered(this.#session.demands ?? {}, initialize, this.#options);
    } catch (error) {
      if (this.#refused === undefined && error instanceof NotDelivered) {
        this.#refused = error;
        // Sent after the answer to the request that caused it.
        void setImmediate()
          .then(() => Promise.all(this.#answers))
          .then(() => this.#send({ ...failureResult(error), startup_failure_reason: error.reason }))
          .then(() => this.#end(EXIT.error), this.#fail);
      }
      throw error;
    }
  }

  #start(initialize?: WireFields): Started {
    if (this.#started !== undefined) return this.#started;
    const { signals } = this.#session;
    const sent = this.#promised(initialize);
    const running = query({ prompt: this.#prompts, options: this.#queryOptions(sent, initialize) });
    this.#started = { query: running, initialize };
    this.#forward(running).then((result) => {
      // A host that sends a signal needs no report; the outcome of the turn is in its result.
      if (!signals.leaving)
        this.#end(result?.is_error === true && !signals.interrupted ? EXIT.error : EXIT.success);
    }, this.#fail);
    return this.#started;
  }

  #queryOptions(sent: Partial<Options>, initialize: WireFields | undefined): Options {
    const options = this.#options;
    const { mirrors, asksHost } = this.#session;
    return {
      ...options,
      ...sent,
      ...(initialize !== undefined && hostOptions(initialize, options, this.#channel)),
      engine: {
        ...options.engine,
        // Not through the stream of messages: a question to the host must not overtake it.
        onSessionState: (message) => this.#post({ ...message }),
        ...(mirrors === true && {
          onTranscript: (filePath, entries) => this.#post({ type: 'transcript_mirror', filePath, entries }),
        }),
      },
      ...(asksHost && { canUseTool: askHost(this.#channel) }),
    };
  }

  async #forward(running: Query): Promise<SDKResultMessage | undefined> {
    let result: SDKResultMessage | undefined;
    let sessionId: string | undefined;
    try {
      for await (const message of running) {
        sessionId = message.session_id ?? sessionId;
        if (message.type === 'result') result = message;
        await this.#send(message);
      }
    } catch (error) {
      if (error instanceof OutputClosed) throw error;
      // After an error result the stream throws as well (L10.6): the result has reported it already.
      if (result?.is_error === true) return result;
      result = failureResult(error, sessionId);
      await this.#send(result);
    }
    return result;
  }

  async #answer({ id, subtype, fields }: HostRequest): Promise<void> {
    let response: WireFields;
    try {
      const payload = await this.#payloadOf(subtype, fields);
      response = {
        subtype: 'success',
        request_id: id,
        ...(payload !== undefined && { response: payload }),
      };
    } catch (error) {
      // The session did not start: its result says why, and is the last line.
      if (error instanceof TurnwrightError && error.code === 'error_result') return;
      response = {
        subtype: 'error',
        request_id: id,
        error: error instanceof Error ? error.message : String(error),
        ...(error instanceof TurnwrightError && { error_code: error.code }),
      };
    }
    if (this.#withdrawn.delete(id)) return;
    this.#post({
      type: 'control_response',
      response: { ...response, ...(subtype === 'initialize' && this.#openQuestions()) },
    });
  }

  async #payloadOf(subtype: string, fields: WireFields) {
    const answerIt = answerFor(subtype);
    if (answerIt === undefined)
      throw new TurnwrightError('unsupported_request', `Unsupported control request subtype: ${subtype}`);
    const { query: running, initialize } = this.#start(subtype === 'initialize' ? fields : undefined);
    return answerIt(fields, { query: running, channel: this.#channel, cwd: this.#cwd, initialize });
  }

  /** A host that reconnects receives the open questions again. */
  #openQuestions(): WireFields {
    return {
      pending_permission_requests: this.#channel.pending('can_use_tool'),
      pending_user_dialog_requests: [],
    };
  }

  /** Missing data is reported in a result already. */
  #begin(): void {
    try {
      this.#start();
    } catch (error) {
      if (!(error instanceof NotDelivered)) throw error;
    }
  }

  async #read(): Promise<void> {
    const { stdin, demands = {} } = this.#session;
    for await (const text of readStreamLines(stdin)) this.#onLine(text);
    this.#channel.hangUp();
    // Requests before the end are answered before it, however long the settings take to be read.
    while (this.#answers.size > 0) await Promise.all(this.#answers);
    this.#prompts.end();
    if (this.#started !== undefined) return;
    if (demandsAnything(demands)) this.#begin();
    else this.#end(EXIT.success);
  }

  #onLine(text: string): void {
    const line = parseHostLine(text);
    switch (line.kind) {
      case 'prompt':
        this.#begin();
        this.#prompts.push(line.message);
        return;
      case 'request':
        this.#onRequest(line);
        return;
      case 'response':
        if (this.#session.echoesAnswers) this.#post(line.raw);
        this.#channel.settle(line.id, line.answer);
        return;
      case 'cancel':
        this.#withdrawn.add(line.id);
        return;
      case 'other':
        return;
      case 'unreadable':
        throw new UnreadableLine(text);
    }
  }

  #onRequest(request: HostRequest): void {
    const isFirst = request.subtype === 'initialize' && this.#started === undefined;
    const answered = this.#answer(request).finally(() => this.#answers.delete(answered));
    this.#answers.add(answered);
    // Hosts expect the answer before anything that a prompt causes.
    if (isFirst) this.#prompts.holdUntil(answered);
  }
}

interface HostRequest {
  readonly id: string;
  readonly subtype: string;
  readonly fields: WireFields;
}
