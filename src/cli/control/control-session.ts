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
} from '../../index.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { jsonLine, OutputClosed } from '../output.ts';
import type { Signals } from '../signals.ts';
import { answerFor } from './answer-request.ts';
import { createHostChannel } from './host-channel.ts';
import { askHost, hostOptions, linkedFlags } from './host-options.ts';
import { delivered, demandsAnything, type LaunchDemands, NotDelivered } from './launch-demands.ts';
import { createPromptLine } from './prompt-queue.ts';
import { type Fields, parseHostLine, readLines } from './wire.ts';

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
  readonly initialize: Fields | undefined;
}

/** Runs until the host has closed its end and the last turn has its result. Rejects with `UnreadableLine`. */
export async function runControlSession(session: ControlSessionOptions): Promise<ExitCode> {
  const { signals } = session;
  const send = (line: Fields | SDKMessage) => session.write(jsonLine(line));
  // A closed reader is detected by messages that are awaited.
  const post = (line: Fields) => void send(line).catch(() => undefined);
  const channel = createHostChannel(post);
  const options = linkedFlags(session.options, channel);
  const cwd = options.cwd ?? process.cwd();
  const prompts = createPromptLine();
  const withdrawn = new Set<string>();
  /** Requests of the host that are being answered. */
  const answers = new Set<Promise<void>>();
  let started: Started | undefined;
  let end = (_code: ExitCode) => {};
  let fail = (_error: unknown) => {};
  const ended = new Promise<ExitCode>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });

  let refused: NotDelivered | undefined;
  /** Throws `NotDelivered`, each time; the first time it is also reported in a result. */
  const promised = (initialize?: Fields): Partial<Options> => {
    try {
      if (refused !== undefined) throw refused;
      return delivered(session.demands ?? {}, initialize, options);
    } catch (error) {
      if (refused === undefined && error instanceof NotDelivered) {
        refused = error;
        // Sent after the answer to the request that caused it.
        void Promise.resolve()
          .then(() => send({ ...failureResult(error), startup_failure_reason: error.reason }))
          .then(() => end(EXIT.error), fail);
      }
      throw error;
    }
  };

  const start = (initialize?: Fields): Started => {
    if (started !== undefined) return started;
    const sent = promised(initialize);
    const running = query({
      prompt: prompts,
      options: {
        ...options,
        ...sent,
        ...(initialize !== undefined && hostOptions(initialize, options, channel)),
        engine: {
          ...options.engine,
          // Not through the stream of messages: a question to the host must not overtake it.
          onSessionState: (message) => post({ ...message }),
          ...(session.mirrors === true && {
            onTranscript: (filePath, entries) => post({ type: 'transcript_mirror', filePath, entries }),
          }),
        },
        ...(session.asksHost && { canUseTool: askHost(channel) }),
      },
    });
    started = { query: running, initialize };
    forward(running).then((result) => {
      // A host that sends a signal needs no report; the outcome of the turn is in its result.
      if (!signals.leaving)
        end(result?.is_error === true && !signals.interrupted ? EXIT.error : EXIT.success);
    }, fail);
    return started;
  };

  const forward = async (running: Query): Promise<SDKResultMessage | undefined> => {
    let result: SDKResultMessage | undefined;
    let sessionId: string | undefined;
    try {
      for await (const message of running) {
        sessionId = message.session_id ?? sessionId;
        if (message.type === 'result') result = message;
        await send(message);
      }
    } catch (error) {
      if (error instanceof OutputClosed) throw error;
      // After an error result the stream throws as well (L10.6): the result has reported it already.
      if (result?.is_error === true) return result;
      result = failureResult(error, sessionId);
      await send(result);
    }
    return result;
  };

  const answer = async (id: string, subtype: string, fields: Fields) => {
    let response: Fields;
    try {
      const answerIt = answerFor(subtype);
      if (answerIt === undefined) {
        throw new TurnwrightError('unsupported_request', `Unsupported control request subtype: ${subtype}`);
      }
      const { query: running, initialize } = start(subtype === 'initialize' ? fields : undefined);
      const payload = await answerIt(fields, { query: running, channel, cwd, initialize });
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
    if (withdrawn.delete(id)) return;
    post({
      type: 'control_response',
      response: { ...response, ...(subtype === 'initialize' && openQuestions()) },
    });
  };

  /** A host that reconnects receives the open questions again. */
  const openQuestions = () => ({
    pending_permission_requests: channel.pending('can_use_tool'),
    pending_user_dialog_requests: [],
  });

  /** Missing data is reported in a result already. */
  const begin = () => {
    try {
      start();
    } catch (error) {
      if (!(error instanceof NotDelivered)) throw error;
    }
  };

  const answering = (work: Promise<void>): Promise<void> => {
    const settled = work.finally(() => answers.delete(settled));
    answers.add(settled);
    return settled;
  };

  const read = async () => {
    for await (const text of readLines(session.stdin)) {
      const line = parseHostLine(text);
      switch (line.kind) {
        case 'prompt':
          begin();
          prompts.push(line.message);
          break;
        case 'request': {
          const first = line.subtype === 'initialize' && started === undefined;
          const answered = answering(answer(line.id, line.subtype, line.fields));
          // Hosts expect the answer before anything that a prompt causes.
          if (first) prompts.holdUntil(answered);
          break;
        }
        case 'response':
          if (session.echoesAnswers) post(line.raw);
          channel.settle(line.id, line.answer);
          break;
        case 'cancel':
          withdrawn.add(line.id);
          break;
        case 'other':
          break;
        case 'unreadable':
          throw new UnreadableLine(text);
      }
    }
    channel.hangUp();
    // Requests before the end are answered before it, however long the settings take to be read.
    while (answers.size > 0) await Promise.all(answers);
    prompts.end();
    if (started !== undefined) return;
    if (demandsAnything(session.demands ?? {})) begin();
    else end(EXIT.success);
  };

  signals.attach({
    async interrupt() {
      prompts.end();
      if (started === undefined) return end(EXIT.success);
      // The query must see the end of its input first: then background work does not keep it open.
      await setImmediate();
      await started.query.interrupt({ cancelQueued: true });
    },
    close: () => started?.query.close(),
  });
  read().catch(fail);
  try {
    return await ended;
  } finally {
    await started?.query.close();
  }
}
