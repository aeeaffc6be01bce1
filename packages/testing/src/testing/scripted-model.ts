/** A model with scripted answers, behind the same port as a real one. */

import { whenAborted } from '@turnwright/base/async/promises.ts';
import type { ModelFailure } from '@turnwright/engine/protocol/model/failure.ts';
import { FALLBACK_POLICIES } from '@turnwright/engine/protocol/model/fallback.ts';
import type { ViewMessage } from '@turnwright/engine/protocol/model/messages.ts';
import type {
  AttemptRecord,
  CallModel,
  CallOptions,
  ModelOutcome,
  ModelOutput,
  ModelRequest,
} from '@turnwright/engine/protocol/model/model.ts';
import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import { FIRST_DELAY_MS, MAX_RETRIES, type Reply, type ScriptStep, type Step } from './reply.ts';
import { buildUsage, playReply } from './reply-events.ts';

/** A request at the time it was made; `view` is a copy. */
export type RecordedRequest = Omit<ModelRequest, 'view'> & {
  /** The conversation at that time. */
  readonly view: readonly ViewMessage[];
  readonly options: CallOptions;
};

/** A model that plays one step per call, and records the requests. */
export interface ScriptedModel {
  /** For `engine.callModel`, or the loop. */
  readonly callModel: CallModel;
  /** Every request so far, in order. */
  readonly requests: readonly RecordedRequest[];
  /** Throws when steps are left, or a request came without a step. */
  assertComplete(): void;
}

/** Options of `scriptedModel()`. */
export interface ScriptedModelOptions {
  /** Clock for the attempt records; without it all times are 0. */
  readonly clock?: Clock;
}

/** The script has no step for this request. */
export class UnexpectedModelCallError extends Error {
  readonly request: RecordedRequest;
  constructor(request: RecordedRequest, number: number, steps: number) {
    super(
      `Model call ${number} has no scripted answer (the script has ${steps}). It came from ${request.querySource} ` +
        `as ${request.effectKey || '(no effect key)'}; its last message is: ${describeLast(request.view)}`,
    );
    this.name = 'UnexpectedModelCallError';
    this.request = request;
  }
}

/**
 * Plays one step per call, in order. Answers pass through the port like those of a real model.
 *
 * @example
 * ```ts
 * const model = scriptedModel([callTool('Read', { file_path: 'a.txt' }), say('Done.')]);
 * const { terminal } = await runLoop(queryLoop, loopParams(), loopDeps({ callModel: model.callModel }));
 * model.assertComplete();
 * ```
 */
export function scriptedModel(
  steps: readonly ScriptStep[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const requests: RecordedRequest[] = [];
  let unexpected: UnexpectedModelCallError | undefined;
  let toolUses = 0;
  const nextToolUseId = () => `toolu_${++toolUses}`;

  async function* callModel(
    request: ModelRequest,
    call: CallOptions,
  ): AsyncGenerator<ModelOutput, ModelOutcome> {
    const recorded: RecordedRequest = { ...request, view: request.view.slice(), options: call };
    const number = requests.push(recorded);
    const script = steps[number - 1];
    if (script === undefined) {
      unexpected ??= new UnexpectedModelCallError(recorded, number, steps.length);
      throw unexpected;
    }
    const step = typeof script === 'function' ? script(request) : script;
    return yield* playStep(step, {
      request,
      call,
      number,
      nextToolUseId,
      now: () => options.clock?.monotonicMs() ?? 0,
    });
  }

  return {
    callModel,
    requests,
    assertComplete() {
      if (unexpected !== undefined) throw unexpected;
      const left = steps.length - requests.length;
      if (left > 0) throw new Error(`${left} of ${steps.length} scripted answers were never asked for.`);
    },
  };
}

/** What the statuses of retries say, besides an error of the server. */
const FAILURES: Readonly<Record<number, ModelFailure['kind']>> = {
  408: 'timeout',
  429: 'rate_limited',
  529: 'overloaded',
};

interface Play {
  readonly request: ModelRequest;
  readonly call: CallOptions;
  readonly number: number;
  nextToolUseId(): string;
  now(): number;
}

async function* playStep(step: Step, play: Play): AsyncGenerator<ModelOutput, ModelOutcome> {
  const { call } = play;
  if (step.kind === 'throws') throw step.error;
  if (call.signal.aborted) return { kind: 'aborted', retry: call.retry, attempts: [] };
  const { after } = call;
  if (after !== undefined && !after.immediate) return yield* playAfterWait(step, after.failure, play);
  if (step.kind === 'retries') {
    const failed: AttemptRecord[] = [];
    let { overloadedInARow } = call.retry;
    for (const notice of step.notices) {
      const outcome = (notice.status === null ? 'connection' : FAILURES[notice.status]) ?? 'server_error';
      overloadedInARow = outcome === 'overloaded' ? overloadedInARow + 1 : 0;
      yield attemptOutput(play);
      failed.push(attempt(play, outcome));
      yield { kind: 'retry', notice };
    }
    const retry = { ...call.retry, retries: call.retry.retries + step.notices.length, overloadedInARow };
    const outcome = yield* playStep(step.then, { ...play, call: { ...call, retry } });
    return { ...outcome, attempts: [...failed, ...outcome.attempts] };
  }

  const ended = (outcome: AttemptRecord['outcome'], reply?: Reply, overloadedInARow = 0) => ({
    retry: { ...call.retry, overloadedInARow },
    attempts: [attempt(play, outcome, reply)],
    requestId: `req_${play.number}`,
  });
  const failed = (given: Extract<Step, { kind: 'failed' | 'broken' }>, reply?: Reply): ModelOutcome => ({
    ...ended(given.failure.kind, reply, overloadsAfter(given, play)),
    kind: given.kind,
    failure: given.failure,
  });

  yield attemptOutput(play);
  switch (step.kind) {
    case 'failed':
      return call.signal.aborted ? { ...ended('aborted'), kind: 'aborted' } : failed(step);
    case 'reply': {
      const aborted = yield* stream(step, play, true);
      return aborted
        ? { ...ended('aborted', step), kind: 'aborted' }
        : { ...ended('complete', step), kind: 'complete' };
    }
    case 'broken': {
      const aborted = yield* stream(step.after, play, false);
      return aborted ? { ...ended('aborted', step.after), kind: 'aborted' } : failed(step, step.after);
    }
    case 'hang':
      if (step.after !== undefined) yield* stream(step.after, play, false);
      await whenAborted(call.signal);
      return { ...ended('aborted', step.after), kind: 'aborted' };
  }
}

/** A request that follows a broken stream waits first, which counts as one retry. */
async function* playAfterWait(
  step: Step,
  { kind, status, message }: ModelFailure,
  play: Play,
): AsyncGenerator<ModelOutput, ModelOutcome> {
  const { after: _, ...call } = play.call;
  const retries = call.retry.retries + 1;
  yield {
    kind: 'retry',
    notice: {
      attempt: retries,
      maxRetries: MAX_RETRIES,
      delayMs: FIRST_DELAY_MS * 2 ** (retries - 1),
      status: status ?? null,
      cause: message,
      error: kind === 'overloaded' ? 'overloaded' : 'server_error',
    },
  };
  return yield* playStep(step, { ...play, call: { ...call, retry: { ...call.retry, retries } } });
}

/** Number of overloads in a row, including this failure. */
function overloadsAfter(
  { failure, atOverloadLimit }: Extract<Step, { kind: 'failed' | 'broken' }>,
  { request, call }: Play,
): number {
  if (failure.kind !== 'overloaded') return 0;
  const next = call.retry.overloadedInARow + 1;
  const isLimited = atOverloadLimit === true && request.fallsBackOn?.includes('overloaded') === true;
  return isLimited ? Math.max(next, FALLBACK_POLICIES.overloaded.after) : next;
}

/** Returns whether the caller aborted. */
async function* stream(reply: Reply, play: Play, complete: boolean): AsyncGenerator<ModelOutput, boolean> {
  const { request, call } = play;
  const played = playReply({
    reply,
    model: request.model,
    messageId: reply.options.messageId ?? `msg_${play.number}`,
    nextToolUseId: play.nextToolUseId,
    complete,
    stream: request.stream,
  });
  let first = true;
  for (const item of played) {
    if (item.kind === 'pause') await Promise.race([item.until, whenAborted(call.signal)]);
    if (call.signal.aborted) return true;
    if (item.kind === 'pause') continue;
    yield {
      kind: 'events',
      events: item.events,
      requestId: `req_${play.number}`,
      ...(first && { ttftMs: 0 }),
    };
    first = false;
  }
  return call.signal.aborted;
}

function attemptOutput({ request, call }: Play): ModelOutput {
  return { kind: 'attempt', attempt: call.retry.retries + 1, bytes: 0, maxTokens: request.maxTokens };
}

function attempt(play: Play, outcome: AttemptRecord['outcome'], reply?: Reply): AttemptRecord {
  return {
    startMs: play.now(),
    endMs: play.now(),
    model: play.request.model,
    stream: play.request.stream,
    bytes: 0,
    outcome,
    requestId: `req_${play.number}`,
    ...(reply !== undefined && { usage: buildUsage(reply) }),
    ...(reply !== undefined && outcome !== 'complete' && { wasted: true }),
  };
}

function describeLast(view: readonly ViewMessage[]): string {
  const last = view.at(-1);
  if (last === undefined) return '(an empty view)';
  const text = JSON.stringify(last.type === 'attachment' ? last.rendered : last.message.content);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
