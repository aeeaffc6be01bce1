/**
 * One session driven through stdin and stdout: lines of JSON both ways. A thin host over `query()`: what the host at
 * the other end asks for is done by the query's own options and methods.
 */
import {
  type Options,
  type Query,
  query,
  type SDKMessage,
  type SDKResultMessage,
  TurnwrightError,
} from '../../index.ts';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { OutputClosed } from '../output.ts';
import type { Signals } from '../signals.ts';
import { answerFor } from './answer-request.ts';
import { failureResult } from './failure-result.ts';
import { createHostChannel } from './host-channel.ts';
import { askHost, hostOptions, linkedFlags } from './host-options.ts';
import { delivered, demandsAnything, type LaunchDemands, NotDelivered } from './launch-demands.ts';
import { createPromptLine } from './prompt-line.ts';
import { readLines } from './read-lines.ts';
import { createSessionState } from './session-state.ts';
import { type Fields, parseHostLine } from './wire.ts';

export interface ControlSessionOptions {
  /** What the flags came to. */
  readonly options: Options;
  /** Ask the host about calls that rules leave open; else they are denied. */
  readonly asksHost: boolean;
  /** Tell the host of each write to the session's files. */
  readonly mirrors?: boolean;
  /** What the host has promised to send first. */
  readonly demands?: LaunchDemands;
  /** Repeat the host's answers to it. */
  readonly echoesAnswers: boolean;
  readonly stdin: AsyncIterable<Buffer | string>;
  /** Resolves once the line was handed over. */
  readonly write: (line: string) => Promise<void>;
  readonly signals: Signals;
}

/** A line that is no message of the protocol. */
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
  const send = (line: Fields | SDKMessage) => session.write(`${JSON.stringify(line)}\n`);
  // A reader that left is noticed by the messages, which are waited for.
  const post = (line: Fields) => void send(line).catch(() => undefined);
  const channel = createHostChannel(post);
  const options = linkedFlags(session.options, channel);
  const state = createSessionState(post);
  const prompts = createPromptLine();
  const withdrawn = new Set<string>();
  let started: Started | undefined;
  let end = (_code: ExitCode) => {};
  let fail = (_error: unknown) => {};
  const ended = new Promise<ExitCode>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });

  let refused: NotDelivered | undefined;
  /** Throws `NotDelivered`, each time; the first time it is told in a result as well. */
  const promised = (initialize?: Fields): Partial<Options> => {
    try {
      if (refused !== undefined) throw refused;
      return delivered(session.demands ?? {}, initialize, options);
    } catch (error) {
      if (refused === undefined && error instanceof NotDelivered) {
        refused = error;
        // Behind the answer to the request that showed it.
        void Promise.resolve()
          .then(() => send(failureResult(error)))
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
        ...(session.mirrors === true && {
          engine: {
            ...options.engine,
            onTranscript: (filePath, entries) => post({ type: 'transcript_mirror', filePath, entries }),
          },
        }),
        ...(session.asksHost && { canUseTool: state.whileAsking(askHost(channel)) }),
      },
    });
    signals.attach(running);
    started = { query: running, initialize };
    forward(running).then((result) => {
      if (!signals.leaving)
        end(signals.interrupted ? EXIT.interrupted : result ? exitCodeOf(result) : EXIT.success);
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
        state.before(message);
        await send(message);
        state.after(message);
      }
    } catch (error) {
      if (error instanceof OutputClosed) throw error;
      // After an error result the stream throws as well (L10.6): the result already says it all.
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
      if (answerIt === undefined) throw new Error(`Unsupported control request subtype: ${subtype}`);
      const { query: running, initialize } = start(subtype === 'initialize' ? fields : undefined);
      const payload = await answerIt(fields, { query: running, channel, initialize });
      response = { subtype: 'success', request_id: id, response: payload };
    } catch (error) {
      response = {
        subtype: 'error',
        request_id: id,
        error: error instanceof Error ? error.message : String(error),
        ...(error instanceof TurnwrightError && { error_code: error.code }),
      };
    }
    if (withdrawn.delete(id)) return;
    // A host that comes back is told again what it has not answered.
    const open =
      subtype === 'initialize' ? { pending_permission_requests: channel.pending('can_use_tool') } : {};
    post({ type: 'control_response', response, ...open });
  };

  /** What did not come is told in a result already. */
  const begin = () => {
    try {
      start();
    } catch (error) {
      if (!(error instanceof NotDelivered)) throw error;
    }
  };

  const read = async () => {
    for await (const text of readLines(session.stdin)) {
      const line = parseHostLine(text);
      switch (line.kind) {
        case 'prompt':
          begin();
          prompts.push(line.message);
          break;
        case 'request':
          void answer(line.id, line.subtype, line.fields);
          break;
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
    prompts.end();
    channel.hangUp();
    if (started !== undefined) return;
    if (demandsAnything(session.demands ?? {})) begin();
    else end(EXIT.success);
  };

  read().catch(fail);
  try {
    return await ended;
  } finally {
    await started?.query.close();
  }
}
