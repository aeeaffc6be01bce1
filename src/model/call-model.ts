/**
 * A model call: attempts, and between them what the table of L8 says. The only layer that retries; once a message
 * has begun, the loop decides (L4.3).
 */
import type { ModelFailure } from '../protocol/failure.ts';
import type { AssistantMessage } from '../protocol/messages.ts';
import type {
  AttemptRecord,
  CallOptions,
  ModelInfo,
  ModelOutcome,
  ModelOutput,
  ModelRequest,
  RetryState,
} from '../protocol/model.ts';
import type { Admission, Clock, Permit, RandomPort } from '../protocol/ports.ts';
import { type AttemptEnd, openAttempt } from './attempt.ts';
import type { CacheTtl } from './cache-breakpoints.ts';
import type { Connections } from './connections.ts';
import type { Credential, Credentials } from './credentials.ts';
import type { FastMode } from './fast-mode.ts';
import { requestIdOf } from './http-head.ts';
import { located } from './locate-block.ts';
import type { Refusals } from './refusals.ts';
import type { RefusedThinking } from './refused-thinking.ts';
import { buildRequestBody } from './request-body.ts';
import { requestHeaders } from './request-headers.ts';
import {
  decideRetry,
  fallsBack,
  MAX_PERSISTENT_WAIT_MS,
  noteFailure,
  type RetryPolicy,
  type RetryVerdict,
} from './retry.ts';
import { rateLimitResetMs } from './retry-after.ts';
import { waitAnnounced } from './retry-wait.ts';
import type { ServedModels } from './served-models.ts';
import type { StreamTimeouts } from './stream-watch.ts';
import type { ViewBytes } from './view-bytes.ts';

export interface CallDeps {
  readonly connections: Connections;
  readonly path: string;
  readonly credentials: Credentials;
  readonly fastMode: FastMode;
  readonly served: ServedModels;
  readonly bytes: ViewBytes;
  readonly clock: Clock;
  readonly random: RandomPort;
  readonly admission: Admission | undefined;
  readonly policy: RetryPolicy;
  readonly userAgent: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly cacheTtl: CacheTtl;
  readonly refusals: Refusals;
  readonly refusedThinking: RefusedThinking;
  ready(model: string, signal: AbortSignal): Promise<void> | undefined;
  infoOf(model: string): ModelInfo;
  timeoutsFor(model: string): StreamTimeouts;
  /** Told of each attempt when it is over. */
  readonly onAttempt: ((attempt: AttemptRecord) => void) | undefined;
}

export async function* callModel(
  deps: CallDeps,
  request: ModelRequest,
  { signal, retry, after }: CallOptions,
): AsyncGenerator<ModelOutput, ModelOutcome> {
  const { clock } = deps;
  const attempts: AttemptRecord[] = [];
  const persistence = { waits: 0, sinceMs: clock.monotonicMs() };
  let waitedMs = 0;
  let sent: Sent | undefined;

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
      canFallBack: request.canFallBack,
      canRefresh: deps.credentials.canRefresh,
      persistentWaits: persistence.waits,
      resetMs: rateLimitResetMs(sent?.end.facts.head?.headers ?? {}, clock.nowMs()),
      random: deps.random,
    });
  };
  const outcome = (state: RetryState) => {
    const requestId = attempts.at(-1)?.requestId;
    return { retry: state, attempts, ...(requestId !== undefined && { requestId }) };
  };

  const preparing = deps.ready(request.model, signal);
  if (preparing !== undefined) await preparing;
  let failure = after?.failure;
  let verdict: RetryVerdict =
    after !== undefined && !after.immediate
      ? decide(after.failure, retry)
      : { kind: 'again', delayMs: 0, persistent: false, state: retry };

  while (true) {
    const { state } = verdict;
    if (signal.aborted) return { kind: 'aborted', ...outcome(state) };
    switch (verdict.kind) {
      case 'fail':
        return { kind: 'failed', failure: verdict.failure, ...outcome(state) };
      case 'fallback':
        return { kind: 'fallback', failure: failure as ModelFailure, ...outcome(state) };
      case 'refresh': {
        const fresh = await unlessAborted(
          deps.credentials.refresh(verdict.why, sent?.credential ?? deps.credentials.current),
          signal,
        );
        if (fresh === false) return { kind: 'failed', failure: failure as ModelFailure, ...outcome(state) };
        break;
      }
      case 'again':
        if (verdict.delayMs === 0 || failure === undefined) break;
        if (verdict.persistent) persistence.waits++;
        waitedMs = verdict.delayMs;
        yield* waitAnnounced({
          failure,
          delayMs: verdict.delayMs,
          attempt: verdict.persistent ? persistence.waits : state.retries,
          maxRetries: deps.policy.maxRetries,
          heartbeat: verdict.persistent,
          clock,
          signal,
        });
    }
    if (signal.aborted) return { kind: 'aborted', ...outcome(state) };

    sent = yield* sendOnce(deps, request, state, attempts, waitedMs, signal);
    waitedMs = 0;
    const { end } = sent;
    if (end.kind === 'aborted') return { kind: 'aborted', ...outcome(state) };
    if (end.kind === 'complete') return { kind: 'complete', ...outcome({ ...state, overloadedInARow: 0 }) };

    failure = end.failure;
    const noted = noteFailure(state, failure);
    if (end.facts.started) {
      const kind =
        request.foreground && fallsBack(failure, noted, request.canFallBack) ? 'fallback' : 'broken';
      return { kind, failure, ...outcome(noted) };
    }
    const pace = sent.fast ? deps.fastMode.onFailure(failure, end.facts.head?.headers ?? {}) : 'keep';
    // At normal speed the limit of fast mode does not bind.
    if (pace === 'slower') failure = withoutRetryAfter(failure);
    verdict =
      pace === 'at_once'
        ? { kind: 'again', delayMs: 0, persistent: false, state: noted }
        : decide(failure, noted);
  }
}

interface Sent {
  readonly end: AttemptEnd;
  readonly credential: Credential;
  readonly fast: boolean;
}

async function* sendOnce(
  deps: CallDeps,
  request: ModelRequest,
  state: RetryState,
  attempts: AttemptRecord[],
  waitedMs: number,
  signal: AbortSignal,
): AsyncGenerator<ModelOutput, Sent> {
  const { clock } = deps;
  const credential = deps.credentials.current;
  const fast = request.speed === 'fast' && deps.fastMode.isAvailable();
  const info = deps.infoOf(request.model);
  const keepsThinking = (answer: AssistantMessage) =>
    !state.withoutThinking &&
    deps.served.isSame(request.model, answer.message.model) &&
    !deps.refusedThinking.has(answer);
  const body = buildRequestBody({
    request,
    info,
    bytes: deps.bytes,
    maxTokens: state.maxTokens,
    withoutThinking: state.withoutThinking,
    fast,
    cacheTtl: deps.cacheTtl,
    metadataUserId: JSON.stringify({ session_id: request.sessionId }),
    thinkingKey: `${deps.served.key(request.model)} ${deps.refusedThinking.key()}`,
    keepsThinking,
  });
  const foreseen = deps.refusals.foreseen(request.view.root, body.chunks);
  if (foreseen !== undefined)
    return { end: { kind: 'failed', failure: foreseen, facts: { started: false } }, credential, fast };
  const headers = requestHeaders({
    request,
    body,
    credential,
    fast,
    supportsEffort: info.supportsEffort,
    userAgent: deps.userAgent,
    custom: deps.headers,
  });
  yield { kind: 'attempt', attempt: attempts.length + 1, bytes: body.length, maxTokens: body.maxTokens };
  const permit = deps.admission === undefined ? undefined : await admit(deps.admission, request, signal);
  const startMs = clock.monotonicMs();
  if (permit === 'aborted') return { end: { kind: 'aborted', facts: { started: false } }, credential, fast };
  let end: AttemptEnd = { kind: 'aborted', facts: { started: false } };
  const attempt = openAttempt({
    connections: deps.connections,
    request: { path: deps.path, headers, keepAlive: state.keepAlive },
    body: body.chunks,
    stream: request.stream,
    timeouts: deps.timeoutsFor(request.model),
    clock,
    signal,
  });
  try {
    let step = await attempt.next();
    for (; step.kind === 'events'; step = await attempt.next()) yield step;
    end = step;
  } finally {
    attempt.close();
    permit?.settle(end.facts.usage, definedOf(end.facts.head?.headers ?? {}));
  }
  if (end.kind === 'failed') {
    end = { ...end, failure: located(end.failure, request, keepsThinking) };
    deps.refusals.note(request.view.root, body.chunks, end.failure);
    if (end.failure.kind === 'invalid_signature') deps.refusedThinking.note(request.view, keepsThinking);
  }
  if (end.facts.model !== undefined) deps.served.learn(request.model, end.facts.model);
  const record = recordOf(end, {
    startMs,
    endMs: clock.monotonicMs(),
    model: request.model,
    stream: request.stream,
    bytes: body.length,
    waitedMs,
  });
  attempts.push(record);
  deps.onAttempt?.(record);
  return { end, credential, fast };
}

type Timing = Pick<AttemptRecord, 'startMs' | 'endMs' | 'model' | 'stream' | 'bytes'> & { waitedMs: number };

function recordOf(end: AttemptEnd, { waitedMs, ...timing }: Timing): AttemptRecord {
  const { head, firstByteMs, firstContentMs, usage } = end.facts;
  const requestId = head && requestIdOf(head);
  return {
    ...timing,
    outcome: end.kind === 'failed' ? end.failure.kind : end.kind,
    ...(firstByteMs !== undefined && { firstByteMs }),
    ...(firstContentMs !== undefined && { firstContentMs }),
    ...(head !== undefined && { status: head.status }),
    ...(requestId !== undefined && { requestId }),
    ...(waitedMs > 0 && { waitedMs }),
    ...(usage !== undefined && { usage }),
    ...(usage !== undefined && end.kind !== 'complete' && { wasted: true }),
  };
}

async function admit(
  admission: Admission,
  { model, sessionId, foreground }: ModelRequest,
  signal: AbortSignal,
): Promise<Permit | 'aborted'> {
  try {
    return await admission.acquire({ model, sessionId, foreground }, signal);
  } catch (error) {
    if (signal.aborted) return 'aborted';
    throw error;
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

function definedOf(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
