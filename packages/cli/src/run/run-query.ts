/** Runs one query to its end: messages to a sink, signals to the query, the result to the caller. */
import { type Options, query, type SDKResultMessage } from '@turnwright/engine';
import { EXIT, type ExitCode, toExitCode } from '../exit-codes.ts';
import type { Signals } from '../signals.ts';
import { UsageError } from '../usage-error.ts';
import type { Sink } from './print.ts';

const NOTHING_INTERRUPTED =
  'Nothing was interrupted, so there is nothing to carry on. Say what to do next: turnwright --continue "now the tests".';

interface Run {
  /** Absent: the interrupted submission is continued. */
  readonly prompt: string | undefined;
  readonly options: Options;
  readonly sink: Sink;
  readonly signals: Signals;
  /** Called when there was nothing to continue: returns a prompt, or undefined. */
  readonly goOn?: () => Promise<string | undefined>;
}

interface RunEnd {
  /** Absent when a signal ended the process first. */
  readonly result: SDKResultMessage | undefined;
  readonly code: ExitCode;
}

export async function runQuery(run: Run): Promise<RunEnd> {
  const { sink, signals } = run;
  let prompt = run.prompt;
  let { result, failure } = await play(run, prompt);
  if (prompt === undefined && result === undefined && failure === undefined && !signals.leaving) {
    prompt = await run.goOn?.();
    if (prompt !== undefined) ({ result, failure } = await play(run, prompt));
  }
  if (failure !== undefined) {
    // A result is shown even when its last records could not be written.
    await sink.end(result).catch(() => undefined);
    throw failure.reason;
  }
  await sink.end(result);
  if (result === undefined && !signals.leaving) throw withoutResult(prompt);
  return { result, code: signals.interrupted ? EXIT.interrupted : codeOf(result) };
}

interface Played {
  readonly result: SDKResultMessage | undefined;
  readonly failure: { readonly reason: unknown } | undefined;
}

async function play({ options, sink, signals }: Run, prompt: string | undefined): Promise<Played> {
  const running = query({ prompt, options });
  const detach = signals.attach(running, farewell(options));
  let result: SDKResultMessage | undefined;
  let failure: Played['failure'];
  try {
    for await (const message of running) {
      if (message.type === 'result') result = message;
      await sink.show(message);
    }
  } catch (reason) {
    // After an error result the stream throws as well (L10.6): the result has reported it already.
    if (result?.is_error !== true) failure = { reason };
  } finally {
    detach();
    await running.close().catch((reason: unknown) => {
      failure ??= { reason };
    });
  }
  return { result, failure };
}

/** The last line when a signal ends the process before the result. */
function farewell({ persistSession, engine }: Options): string {
  const isKept = persistSession !== false && engine?.home === undefined;
  return `— left before the end, without a result${isKept ? '; go on with: turnwright --continue' : ''}`;
}

function withoutResult(prompt: string | undefined): Error {
  if (prompt === undefined) return new UsageError(NOTHING_INTERRUPTED);
  return new Error('The run ended without a result: the session was taken over by another process.');
}

function codeOf(result: SDKResultMessage | undefined): ExitCode {
  return result === undefined ? EXIT.error : toExitCode(result);
}
