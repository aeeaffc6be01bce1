/** The model of a replay: answers each call with what its attempts were answered. */

import { thisTurn } from '@turnwright/base/async/promises.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import { FALLBACK_POLICIES, type FallbackTrigger } from '../../protocol/model/fallback.ts';
import type {
  AttemptRecord,
  CallModel,
  CallOptions,
  ModelOutcome,
  ModelOutput,
} from '../../protocol/model/model.ts';
import type { StreamEvent } from '../../protocol/model/wire.ts';
import type { ToldCall } from '../../protocol/session/told.ts';
import type { Cursor } from '../cursor.ts';
import { answerBytes, decodeAnswer } from '../encode-answer.ts';
import type { RecordedAttempt, RecordedIteration } from '../recorded.ts';

/** Changes the bytes of an answer on their way to the decoder. */
export type AlterBytes = (
  bytes: Buffer,
  place: { readonly iteration: number; readonly attempt: number },
) => Buffer;

/** The record has no answer for a request. */
class EndOfRecord extends Error {}

export function modelPort(cursor: Cursor, alter: AlterBytes | undefined): CallModel {
  return async function* replayed(request, options): AsyncGenerator<ModelOutput, ModelOutcome> {
    const iteration = cursor.now;
    if (iteration === undefined) throw new EndOfRecord('The record has ended.');
    const n = cursor.calls++;
    const told = iteration.told.calls?.find((call) => call.n === n);
    // Otherwise it would be asked without end.
    if (n > 0 && told === undefined && cursor.isAskedTooOften)
      throw new EndOfRecord('The model is asked once more than in the record.');
    // No record holds more of a call that was answered at once.
    const isAtOnce = told === undefined && cursor.run.facts !== undefined;
    // A model of the host's own does not count them, and an answer came of one.
    const isCounted = told !== undefined && !(told.attempts === 0 && told.kind === 'complete');
    const many = isCounted ? told.attempts : attemptsOfCall(iteration, cursor.attempts);
    const first = cursor.attempts;
    const recorded = told === undefined ? Math.max(1, many) : many;
    const records = (iteration.record?.attempts ?? []).slice(first, first + recorded);
    const ended = () => ({ retry: retryOf(told, iteration, n, options), attempts: records.map(whole) });
    for (const attempt of iteration.attempts.slice(first, first + many)) {
      cursor.attempts++;
      for (const notice of attempt.retries) if (notice.subtype === 'api_retry') yield retry(notice);
      const bytes = iteration.record?.request?.bytes ?? 0;
      yield {
        kind: 'attempt',
        attempt: attempt.number,
        bytes,
        maxTokens: isLowered(iteration, cursor) ? attempt.maxTokens : request.maxTokens,
      };
      if (!hasBegun(attempt)) continue;
      const whole = answerBytes(attempt, hasEnd(attempt));
      const place = { iteration: iteration.number, attempt: attempt.number };
      const events = decodeAnswer(alter?.(whole, place) ?? whole);
      cursor.uuids.push(...attempt.blocks.filter(({ aborted }) => aborted !== true).map(({ uuid }) => uuid));
      yield* played(events, attempt, iteration);
      cursor.answered = true;
      if (hasEnd(attempt)) {
        const isOver = isAbortedHere(cursor, iteration);
        if (isOver) cursor.abort();
        return { ...ended(), kind: 'complete', ...(isAtOnce && { attempts: records.map(completed) }) };
      }
      cursor.uuids.push(...attempt.blocks.filter(({ aborted }) => aborted === true).map(({ uuid }) => uuid));
    }
    if (isThrown(iteration)) throw new Error('The error of the record.');
    return outcomeOf(told, iteration, n, ended(), cursor);
  };
}

/** The server had refused the cap that was asked for, or a budget could not pay it. */
const isLowered = ({ record, attempts }: RecordedIteration, { run }: Cursor): boolean =>
  run.facts?.isPaidAhead === true ||
  record === undefined ||
  record.attempts.some(({ outcome }) => outcome === 'output_over_window') ||
  new Set(attempts.map(({ maxTokens }) => maxTokens)).size > 1;

/** The events of an answer, in the reads in which they came as far as that has decided something. */
async function* played(
  events: readonly StreamEvent[],
  { blocks, response }: RecordedAttempt,
  { record, written }: RecordedIteration,
): AsyncGenerator<ModelOutput> {
  const requestId = response?.requestId;
  const read = (some: readonly StreamEvent[]): ModelOutput => ({
    kind: 'events',
    events: some,
    ...(requestId !== undefined && { requestId }),
  });
  // Calls that had started before the answer was refused stay, where another model took over.
  const isRefusedLater = response?.stopReason === 'refusal' && record?.response?.stopReason === 'tool_use';
  const retracted = new Set(written.flatMap((entry) => (entry.type === 'retract' ? entry.uuids : [])));
  const lastStarted = isRefusedLater
    ? blocks.findLastIndex(
        ({ uuid, message }) => message.content[0]?.type === 'tool_use' && !retracted.has(uuid),
      )
    : -1;
  const cut = events.findIndex((event) => event.type === 'content_block_stop' && event.index === lastStarted);
  if (cut >= 0) {
    yield read(events.slice(0, cut + 1));
    await thisTurn();
    await thisTurn();
  }
  yield read(events.slice(cut + 1));
}

const hasBegun = ({ blocks, response }: RecordedAttempt): boolean =>
  blocks.length > 0 || response !== undefined;

const hasEnd = ({ response }: RecordedAttempt): boolean => response !== undefined && response.broken !== true;

const whole = (attempt: AttemptRecord): AttemptRecord => attempt;
const completed = (attempt: AttemptRecord): AttemptRecord => ({ ...attempt, outcome: 'complete' });

function retry(notice: Extract<RecordedAttempt['retries'][number], { subtype: 'api_retry' }>): ModelOutput {
  const { attempt, max_retries, retry_delay_ms, error_status, error, error_message, is_unlimited } = notice;
  return {
    kind: 'retry',
    notice: {
      attempt,
      maxRetries: max_retries,
      delayMs: retry_delay_ms,
      status: error_status,
      error,
      cause: error_message ?? '',
      ...(is_unlimited === true && { isUnlimited: true }),
    },
  };
}

/** A call makes attempts until a message begins. */
function attemptsOfCall({ attempts }: RecordedIteration, from: number): number {
  let n = 0;
  for (const attempt of attempts.slice(from)) {
    n++;
    const next = attempts[from + n];
    if (hasBegun(attempt) || next === undefined || next.retries.length === 0 || next.model !== attempt.model)
      break;
  }
  return n;
}

/** The model that took over behind the n-th call of an iteration, and why. */
function hopBehind(
  { record }: RecordedIteration,
  n: number,
  told: ToldCall | undefined,
): FallbackTrigger | undefined {
  const { before = [], ...last } = record?.fallback ?? {};
  const hops = record?.fallback === undefined ? [] : [...before, last];
  if (told !== undefined || hops.length === 0) return undefined;
  // Calls and exchanges go together, the last call excepted.
  const hop = hops[n] as { readonly trigger?: FallbackTrigger } | undefined;
  return hop?.trigger;
}

function retryOf(
  told: ToldCall | undefined,
  iteration: RecordedIteration,
  n: number,
  { retry }: CallOptions,
) {
  const trigger = hopBehind(iteration, n, told);
  const overloadedInARow =
    told?.overloadedInARow ?? (trigger === 'overloaded' ? FALLBACK_POLICIES.overloaded.after : 0);
  const stalledInARow = told?.stalledInARow ?? (trigger === 'stalled' ? FALLBACK_POLICIES.stalled.after : 0);
  return { ...retry, overloadedInARow, stalledInARow };
}

type Ended = Pick<ModelOutcome, 'retry' | 'attempts'>;

function outcomeOf(
  told: ToldCall | undefined,
  iteration: RecordedIteration,
  n: number,
  ended: Ended,
  cursor: Cursor,
): ModelOutcome {
  const last = iteration.attempts[cursor.attempts - 1];
  const record = ended.attempts.at(-1);
  if (told?.kind === 'parked' || (told === undefined && isParkedHere(iteration))) {
    // It was left to be parked, and aborted before that was decided.
    if (isStoppedAtOnce(iteration)) cursor.abort();
    return {
      ...ended,
      kind: 'parked',
      wakeAt: told?.wakeAt ?? iteration.parked?.wakeAt ?? 0,
      ...((told?.why ?? iteration.parked?.why) !== undefined && {
        why: told?.why ?? (iteration.parked?.why as string),
      }),
    };
  }
  const isAborted =
    told === undefined ? record === undefined || record.outcome === 'aborted' : told.kind === 'aborted';
  if (isAborted && cursor.abortReason !== undefined) {
    cursor.abort();
    return { ...ended, kind: 'aborted' };
  }
  const failure =
    (told?.failure as ModelFailure | undefined) ?? derivedFailure(iteration, record, n, told, cursor);
  const kind =
    told?.kind === 'broken' || (told === undefined && last !== undefined && hasBegun(last))
      ? 'broken'
      : 'failed';
  return { ...ended, kind, failure };
}

const isParkedHere = ({ record, results, attempts }: RecordedIteration): boolean =>
  record?.decision?.kind === 'park' &&
  results.size === 0 &&
  attempts.at(-1)?.blocks.some(({ message }) => message.content[0]?.type === 'tool_use') !== true;

/** Of records that do not hold it: kind and status, and the text that the user was shown. */
function derivedFailure(
  iteration: RecordedIteration,
  attempt: AttemptRecord | undefined,
  n: number,
  told: ToldCall | undefined,
  cursor: Cursor,
): ModelFailure {
  cursor.missing.add(`iteration ${iteration.number}: the text of a failed attempt`);
  const outcome = attempt?.outcome;
  const shown = shownFailure(iteration);
  const trigger = hopBehind(iteration, n, told);
  const byTrigger: Partial<Record<FallbackTrigger, ModelFailure['kind']>> = {
    overloaded: 'overloaded',
    stalled: 'stalled',
    quota: 'rate_limited',
    model_not_found: 'not_found',
  };
  const known = outcome === undefined || outcome === 'complete' || outcome === 'aborted' ? 'cut' : outcome;
  return {
    kind: (trigger && byTrigger[trigger]) ?? known,
    message: shown?.text ?? `A recorded failure: ${known}.`,
    ...((attempt?.status ?? shown?.status) !== undefined && {
      status: attempt?.status ?? (shown?.status as number),
    }),
    ...(shown?.errorType !== undefined && { errorType: shown.errorType }),
    ...(trigger === 'billing' && { errorType: 'billing_error' }),
  };
}

/** What the user was shown of it, without the words that were put before it. */
function shownFailure({ written }: RecordedIteration) {
  const shown = written.findLast((entry) => entry.type === 'assistant');
  if (shown?.type !== 'assistant' || shown.synthetic === undefined) return undefined;
  const [part] = shown.message.content;
  const text = part?.type === 'text' ? part.text.replace(BEFORE_CAUSE, '') : '';
  return { text, status: shown.synthetic.status, errorType: shown.synthetic.errorType };
}

const BEFORE_CAUSE =
  /^(?:(?:Failed to authenticate\. )?API Error: (?:Request rejected \(\d+\) \u00b7 |\d{3} )?|[^\u00b7]{0,40} \u00b7 )/;

/** The abort came with the end of the answer: before its tools, or where there are none. */
function isAbortedHere(cursor: Cursor, { record, told, attempts }: RecordedIteration): boolean {
  if (cursor.abortReason === undefined || cursor.attempts < attempts.length) return false;
  if (told.abort !== undefined) return told.abort.during === 'model';
  if (record?.response?.blocks.includes('tool_use') === true) return false;
  return isStoppedAtOnce({ record });
}

const isStoppedAtOnce = ({ record }: Pick<RecordedIteration, 'record'>): boolean =>
  record?.rules[0]?.verdict === 'stop';

const isThrown = ({ record, attempts }: RecordedIteration): boolean =>
  record?.rules.at(-1)?.name === 'unexpected_error' &&
  record.rules.at(-1)?.verdict === 'stop' &&
  attempts.length === 0;
