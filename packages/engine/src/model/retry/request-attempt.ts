/** One attempt at a model request: prepared, admitted and sent, and what is learned from its outcome. */

import type { Writable } from '@turnwright/base/collections/writable.ts';
import type { Life } from '../../protocol/life.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { AssistantMessage } from '../../protocol/model/messages.ts';
import type {
  AttemptRecord,
  ModelInfo,
  ModelOutput,
  ModelRequest,
  RetryState,
} from '../../protocol/model/model.ts';
import type {
  Attempt,
  AttemptEnd,
  Credential,
  GapTrial,
  PreparedRequest,
  Wire,
} from '../../protocol/model/provider-wire.ts';
import type { AttemptCost, Reservation, SpendGuard } from '../../protocol/model/spend-guard.ts';
import type { Admission, AdmissionNeed, Clock, Permit, RandomPort } from '../../protocol/ports.ts';
import { bindsThinking } from '../catalog/conversation-features.ts';
import type { ServedModels } from '../catalog/model-identity.ts';
import type { Credentials } from '../credentials.ts';
import type { Refusals } from '../request/known-bad-requests.ts';
import { located } from '../request/locate-block.ts';
import type { RefusedThinking } from '../request/refused-thinking.ts';
import { errorCode, requestIdOf } from './classify-error.ts';
import type { FastMode } from './fast-mode.ts';
import type { RateLimitPause } from './rate-limit-pause.ts';
import type { RetryPolicy } from './retry.ts';

export interface CallDeps {
  readonly wire: ClientWire;
  readonly credentials: Credentials;
  /** The wait of all calls with this credential after a rate limit. */
  pauseOf(credential: Credential): RateLimitPause;
  readonly fastMode: FastMode;
  readonly served: ServedModels;
  readonly clock: Clock;
  readonly random: RandomPort;
  readonly admission: Admission | undefined;
  readonly spendGuard: SpendGuard | undefined;
  /** As options name it. */
  readonly provider: string;
  readonly policy: RetryPolicy;
  /** `reached`: a server has answered at this endpoint. */
  readonly endpoint: { reached: boolean };
  readonly refusals: Refusals;
  readonly refusedThinking: RefusedThinking;
  ready(model: string, life: Pick<Life, 'signal'>): Promise<void> | undefined;
  infoOf(model: string): ModelInfo;
  /** Called when the wire has learned what its endpoint does not know. */
  readonly onAdapted: ((what: string) => void) | undefined;
  /** Of the span of a call, by its effect key. undefined: calls have no spans. */
  readonly traceparentOf: ((effectKey: string) => string | undefined) | undefined;
  /** Called with each attempt when it has ended. */
  readonly onAttempt: ((attempt: AttemptRecord) => void) | undefined;
}

/** The wire, which may have to be loaded first. */
export interface ClientWire {
  readonly loaded: Wire | undefined;
  /** Loads it once; a failure if that is impossible. Never rejects. */
  load(): Promise<Wire | ModelFailure>;
}

interface SendingInput {
  readonly deps: CallDeps;
  readonly wire: Wire;
  readonly request: ModelRequest;
  readonly state: RetryState;
  /** Wait before this attempt, ms. */
  readonly waitedMs: number;
  readonly life: Life;
  /** Under a strict budget: what this attempt may cost, which its output cap is part of. */
  readonly held: Reservation | undefined;
  readonly trial: GapTrial | undefined;
}

/** Of JSON, about. */
const BYTES_PER_TOKEN = 4;

const UNSENT: AttemptEnd = { kind: 'aborted', facts: { started: false } };

/** One request, from its bytes to what was learned of its answer. */
export class Sending {
  readonly credential: Credential;
  readonly fast: boolean;
  /** The known refusal of this request: it is not sent. */
  readonly foreseen: ModelFailure | undefined;
  /** Its outcome, once it has one. */
  end: AttemptEnd = UNSENT;
  readonly #input: SendingInput;
  readonly #prepared: PreparedRequest;
  readonly #keepsThinking: (answer: AssistantMessage) => boolean;
  #attempt: Attempt | undefined;
  #permit: Permit | undefined;
  #startMs = 0;

  constructor(input: SendingInput) {
    const { deps, request, held } = input;
    const state = held === undefined ? input.state : { ...input.state, maxTokens: held.maxTokens };
    this.#input = input;
    this.credential = deps.credentials.current;
    const info = deps.infoOf(request.model);
    this.fast =
      request.speed === 'fast' &&
      info.supportsFastMode === true &&
      deps.spendGuard === undefined &&
      deps.fastMode.status().state === 'on';
    this.#keepsThinking = state.withoutThinking ? never : createThinkingFilter(deps, request.model);
    this.#prepared = input.wire.prepare({
      request,
      info,
      state,
      fast: this.fast,
      credential: this.credential,
      keepsThinking: this.#keepsThinking,
      thinkingKey: `${deps.served.key(request.model)} ${deps.refusedThinking.key()}`,
      trial: input.trial,
      traceparent: deps.traceparentOf && (() => deps.traceparentOf?.(request.effectKey)),
    });
    this.foreseen = deps.refusals.foreseen(request.view.root, this.#prepared.chunks);
  }

  /** What to leave out of the next attempt, as this one was refused. */
  adapted(failure: ModelFailure): Promise<GapTrial | undefined> | undefined {
    return this.#prepared.adapt?.(failure);
  }

  /** The notice that it is sent, as the attempt of this number. */
  notice(attempt: number): ModelOutput {
    return { kind: 'attempt', attempt, bytes: this.#prepared.length, maxTokens: this.#prepared.maxTokens };
  }

  /** Sends it. undefined: it was foreseen to be refused, or its turn never came; then it has ended. */
  async send(): Promise<Attempt | undefined> {
    if (this.foreseen !== undefined) {
      this.end = { kind: 'failed', failure: this.foreseen, facts: { started: false } };
      return undefined;
    }
    const { deps, life } = this.#input;
    if (deps.admission !== undefined) {
      const permit = await admit(deps.admission, this.#need(), life.signal);
      if (permit === 'aborted') return undefined;
      if (permit.retryAfterMs !== undefined) {
        this.end = postponed(permit.retryAfterMs);
        return undefined;
      }
      this.#permit = permit;
    }
    this.#startMs = deps.clock.monotonicMs();
    this.#attempt = this.#prepared.open(life);
    return this.#attempt;
  }

  /** Called when no more events are needed. */
  close(): void {
    this.#attempt?.close();
    const { end } = this;
    const retryAfterMs = end.kind === 'failed' ? end.failure.retryAfterMs : undefined;
    this.#input.held?.settle(this.#attempt === undefined ? { kind: 'free' } : attemptCost(end));
    this.#permit?.settle(end.facts.usage, dropUndefined(end.facts.head?.headers ?? {}), retryAfterMs);
  }

  #need(): AdmissionNeed {
    const { deps, request } = this.#input;
    const { model, sessionId, foreground } = request;
    const tokens = Math.ceil(this.#prepared.length / BYTES_PER_TOKEN);
    return { model, provider: deps.provider, sessionId, foreground, tokens };
  }

  /** Learns from its outcome and returns the record of the attempt; none when nothing was sent. */
  account(): readonly AttemptRecord[] {
    if (this.#attempt === undefined) return [];
    const { deps, request, waitedMs } = this.#input;
    if (this.end.facts.head !== undefined) deps.endpoint.reached = true;
    if (this.end.kind === 'failed') {
      const failure = located(this.end.failure, request, this.#keepsThinking, this.#prepared.effort);
      this.end = { ...this.end, failure };
      deps.refusals.note(request.view.root, this.#prepared.chunks, failure);
      if (failure.kind === 'invalid_signature') deps.refusedThinking.note(request.view, this.#keepsThinking);
    }
    if (this.end.facts.model !== undefined) deps.served.learn(request.model, this.end.facts.model);
    const record = toAttemptRecord(this.end, waitedMs, {
      startMs: this.#startMs,
      endMs: deps.clock.monotonicMs(),
      model: request.model,
      stream: request.stream,
      bytes: this.#prepared.length,
    });
    deps.onAttempt?.(record);
    return [record];
  }
}

type Sent = Pick<AttemptRecord, 'startMs' | 'endMs' | 'model' | 'stream' | 'bytes'>;

function toAttemptRecord(end: AttemptEnd, waitedMs: number, sent: Sent): AttemptRecord {
  const { head, firstByteMs, firstContentMs, usage } = end.facts;
  const requestId = head && requestIdOf(head);
  const outcome = end.kind === 'failed' ? end.failure.kind : end.kind;
  const record: Writable<AttemptRecord> = { outcome, ...sent };
  if (firstByteMs !== undefined) record.firstByteMs = firstByteMs;
  if (firstContentMs !== undefined) record.firstContentMs = firstContentMs;
  if (head !== undefined) record.status = head.status;
  if (requestId !== undefined) record.requestId = requestId;
  if (waitedMs > 0) record.waitedMs = waitedMs;
  if (usage !== undefined) record.usage = usage;
  if (usage !== undefined && end.kind !== 'complete') record.wasted = true;
  return record;
}

/** The responses whose thinking is sent back to this model. */
function createThinkingFilter({ served, refusedThinking }: CallDeps, model: string) {
  return (answer: AssistantMessage): boolean =>
    served.isSame(model, answer.message.model) &&
    !refusedThinking.has(answer) &&
    !(answer.prefixChanged === true && bindsThinking(model));
}

function never(): boolean {
  return false;
}

/** As a server refuses: what follows a rate limit follows this. */
const postponed = (retryAfterMs: number): AttemptEnd => ({
  kind: 'failed',
  failure: {
    kind: 'rate_limited',
    message: 'The provider has reached its rate limit: other requests of this account have to wait as well.',
    retryAfterMs,
  },
  facts: { started: false },
});

async function admit(
  admission: Admission,
  need: AdmissionNeed,
  signal: AbortSignal,
): Promise<Permit | 'aborted'> {
  try {
    return await admission.acquire(need, signal);
  } catch (error) {
    if (signal.aborted) return 'aborted';
    throw error;
  }
}

/** Errors of connections that were never made. */
const NEVER_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

function attemptCost(end: AttemptEnd): AttemptCost {
  const { usage, started, head } = end.facts;
  if (end.kind === 'complete') return { kind: 'complete', usage };
  if (end.kind === 'failed' && !started) {
    const { status = head?.status ?? 0, cause } = end.failure;
    if (status >= 400 || NEVER_CONNECTED.includes(errorCode(cause))) return { kind: 'free' };
  }
  return { kind: 'partial', usage };
}

function dropUndefined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
