/**
 * A model call: attempts, and between them what the table of L8 says. The only layer that retries; once a
 * message has begun, the loop decides (L4.3).
 */

import type { ModelFailure } from '../protocol/model/failure.ts';
import { QUOTA_WAIT_MS } from '../protocol/model/fallback.ts';
import type {
  AttemptRecord,
  CallModel,
  CallOptions,
  ModelOutcome,
  ModelOutput,
  ModelRequest,
  RetryState,
} from '../protocol/model/model.ts';
import type { GapTrial } from '../protocol/model/provider-wire.ts';
import type { Reservation } from '../protocol/model/spend-guard.ts';
import { toLife } from './life-of.ts';
import { afford } from './retry/afford.ts';
import { type CallDeps, Sending } from './retry/request-attempt.ts';
import {
  decideRetry,
  MAX_PERSISTENT_WAIT_MS,
  noteFailure,
  type RetryVerdict,
  retryLimit,
} from './retry/retry.ts';
import { rateLimitResetMs } from './retry/retry-after.ts';
import { announcement, waitAnnounced } from './retry/retry-wait.ts';

/** The calls of one client. */
export const modelCalls =
  (deps: CallDeps): CallModel =>
  (request, options) =>
    callModel(deps, request, options);

async function* callModel(
  deps: CallDeps,
  request: ModelRequest,
  options: CallOptions,
): AsyncGenerator<ModelOutput, ModelOutcome> {
  const { retry, after, life = toLife(options.signal), isTooLong } = options;
  const { clock } = deps;
  const attempts: AttemptRecord[] = [];
  const persistence = { waits: 0, sinceMs: clock.monotonicMs() };
  let waitedMs = 0;
  let sent: Sending | undefined;
  let trial: GapTrial | undefined;

  const decide = (failure: ModelFailure, state: RetryState): RetryVerdict => {
    if (clock.monotonicMs() - persistence.sinceMs >= MAX_PERSISTENT_WAIT_MS) {
      persistence.waits = 0;
      persistence.sinceMs = clock.monotonicMs();
    }
    return decideRetry({
      failure,
      state,
      policy: deps.policy,
      foreground: request.foreground,
      fallsBackOn: request.fallsBackOn,
      canRefresh: deps.credentials.canRefresh,
      neverReached: !deps.endpoint.reached,
      persistentWaits: persistence.waits,
      resetMs: rateLimitResetMs(sent?.end.facts.head?.headers ?? {}, clock.nowMs()),
      isTooLong,
      random: deps.random,
    });
  };
  const outcome = (state: RetryState) => {
    const requestId = attempts.at(-1)?.requestId;
    return { retry: state, attempts, ...(requestId !== undefined && { requestId }) };
  };

  const wire = deps.wire.loaded ?? (await deps.wire.load());
  if ('kind' in wire) return { kind: 'failed', failure: wire, ...outcome(retry) };
  const renewing = deps.credentials.beforeCall();
  if (renewing !== undefined) await renewing;
  const preparing = deps.ready(request.model, life);
  if (preparing !== undefined) await preparing;
  let failure = after?.failure;
  let verdict: RetryVerdict =
    after !== undefined && !after.immediate
      ? decide(after.failure, retry)
      : { kind: 'again', delayMs: 0, persistent: false, state: retry };

  while (true) {
    const { state } = verdict;
    if (life.aborted) return { kind: 'aborted', ...outcome(state) };
    switch (verdict.kind) {
      case 'fail':
        return { kind: 'failed', failure: verdict.failure, ...outcome(state) };
      case 'refresh': {
        const fresh = await unlessAborted(
          deps.credentials.refresh(verdict.why, sent?.credential ?? deps.credentials.current),
          life.signal,
        );
        if (fresh === false) return { kind: 'failed', failure: failure as ModelFailure, ...outcome(state) };
        break;
      }
      case 'park': {
        const { delayMs } = verdict;
        const { maxRetries } = deps.policy;
        if (failure !== undefined)
          yield announcement({ failure, delayMs, attempt: state.retries + 1, maxRetries });
        return { kind: 'parked', wakeAt: clock.nowMs() + delayMs, ...outcome(state) };
      }
      case 'again':
        if (verdict.delayMs === 0 || failure === undefined) break;
        if (verdict.persistent) persistence.waits++;
        waitedMs = verdict.delayMs;
        yield* waitAnnounced({
          failure,
          delayMs: verdict.delayMs,
          ...(verdict.persistent
            ? { attempt: persistence.waits, maxRetries: persistence.waits, isUnlimited: true }
            : {
                attempt: state.retries,
                maxRetries: retryLimit({
                  failure,
                  policy: deps.policy,
                  neverReached: !deps.endpoint.reached,
                }),
              }),
          heartbeat: verdict.persistent,
          clock,
          signal: life.signal,
        });
    }
    const pause = deps.pauseOf(deps.credentials.current).left();
    if (
      pause !== undefined &&
      pause.delayMs > QUOTA_WAIT_MS &&
      request.fallsBackOn?.includes('quota') === true
    )
      return {
        kind: 'failed',
        failure: { ...pause.failure, retryAfterMs: pause.delayMs },
        ...outcome(state),
      };
    if (pause !== undefined && isTooLong?.(pause.delayMs) === true)
      return { kind: 'parked', wakeAt: clock.nowMs() + pause.delayMs, ...outcome(state) };
    if (pause !== undefined)
      yield* waitAnnounced({
        ...pause,
        attempt: state.retries,
        maxRetries: deps.policy.maxRetries,
        heartbeat: false,
        clock,
        signal: life.signal,
      });
    if (life.aborted) return { kind: 'aborted', ...outcome(state) };

    let held: Reservation | undefined;
    if (deps.spendGuard !== undefined) {
      const maxTokens = state.maxTokens ?? request.maxTokens;
      const need = { request, info: deps.infoOf(request.model), maxTokens };
      const answer = await afford(deps.spendGuard, need, { life, clock, isTooLong });
      if (answer.kind !== 'reserved') return { ...answer, ...outcome(state) };
      held = answer;
    }
    sent = new Sending({ deps, wire, request, state, waitedMs, life, held, trial });
    waitedMs = 0;
    try {
      if (sent.foreseen === undefined) yield sent.notice(attempts.length + 1);
      const attempt = await sent.send();
      if (attempt !== undefined) {
        let step = await attempt.next();
        for (; step.kind === 'events'; step = await attempt.next()) yield step;
        sent.end = step;
      }
    } finally {
      sent.close();
    }
    attempts.push(...sent.account());
    const { end } = sent;
    if (trial !== undefined && end.facts.started) {
      const learned = trial.confirm();
      deps.onAdapted?.(learned);
      trial = undefined;
    }
    if (end.kind === 'aborted') return { kind: 'aborted', ...outcome(state) };
    if (end.kind === 'complete') {
      // A server that has loaded the model for this request can say now how large its window is.
      const known = deps.ready(request.model, life);
      if (known !== undefined) await known;
      return { kind: 'complete', ...outcome({ ...state, overloadedInARow: 0, stalledInARow: 0 }) };
    }

    failure = end.failure;
    const noted = noteFailure(state, failure);
    if (end.facts.started) return { kind: 'broken', failure, ...outcome(noted) };
    const next = await sent.adapted(failure);
    if (next !== undefined) {
      trial = next;
      verdict = { kind: 'again', delayMs: 0, persistent: false, state: noted };
      continue;
    }
    const pace = sent.fast ? deps.fastMode.onFailure(failure, end.facts.head?.headers ?? {}) : 'keep';
    // At normal speed the rate limit of fast mode does not apply.
    if (pace === 'slower') failure = withoutRetryAfter(failure);
    verdict =
      pace === 'at_once'
        ? { kind: 'again', delayMs: 0, persistent: false, state: noted }
        : decide(failure, noted);
    if (failure.kind === 'rate_limited' && (verdict.kind === 'again' || verdict.kind === 'park'))
      deps.pauseOf(sent.credential).note(failure, verdict.delayMs);
  }
}

/** Resolves with undefined as soon as the signal fires. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function withoutRetryAfter({ retryAfterMs: _, ...failure }: ModelFailure): ModelFailure {
  return failure;
}
