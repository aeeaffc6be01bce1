/** Collects one iteration's decision record while it runs, and writes it when the iteration closes. */

import type { Writable } from '@turnwright/base/collections/writable.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { CacheReport } from '../protocol/model/cache.ts';
import type { ViewMessage } from '../protocol/model/messages.ts';
import type { AttemptRecord } from '../protocol/model/model.ts';
import type { View } from '../protocol/model/view.ts';
import { EMPTY_USAGE, type Usage } from '../protocol/model/wire.ts';
import type {
  DecisionRecord,
  ModelHop,
  PrepareRecord,
  RuleRecord,
} from '../protocol/session/decision-record.ts';
import type { Parking } from '../protocol/session/parking.ts';
import type { CheckReport, Verification } from '../protocol/session/verification.ts';
import type { ToolTrace } from '../protocol/tools/tool-call.ts';
import type { Decision } from './decision.ts';
import type { LoopDeps, LoopParams } from './deps.ts';
import { MOST_ADDED_UUIDS } from './limits.ts';
import type { ResponseSoFar } from './response.ts';
import { carriedState, type State } from './state.ts';

/** What stages add to the record; a later value replaces an earlier one. */
type Noted = Partial<Pick<DecisionRecord, 'request' | 'context' | 'checks'>> & {
  readonly cache?: CacheReport | undefined;
  /** Tokens of the request, as stage 1 found them. */
  readonly tokens?: number;
  /** The view that the request is made of. */
  readonly view?: View;
  /** The response, while it is being read and afterwards. */
  readonly response?: Readonly<ResponseSoFar>;
};

export class DecisionTrace {
  readonly #params: LoopParams;
  readonly #deps: LoopDeps;
  readonly #startMs: number;
  readonly #startedAt: string;
  readonly #from: State;
  readonly prepare: PrepareRecord[] = [];
  readonly attempts: AttemptRecord[] = [];
  readonly tools: ToolTrace[] = [];
  readonly #noted: Writable<Noted> = {};
  readonly #hops: ModelHop[] = [];
  #costUsd = 0;
  #wastedCostUsd = 0;
  readonly #rules: RuleRecord[] = [];
  /** What the previous rule had read. */
  #readBefore: Readonly<Record<string, unknown>> = {};
  /** The rule that did not pass. */
  #decidedBy: string | undefined;
  #decision: DecisionRecord['decision'];
  /** When it was decided. */
  #endMs: number | undefined;
  #next: DecisionRecord['next'];

  constructor(state: State, params: LoopParams, deps: LoopDeps) {
    this.#from = state;
    this.#params = params;
    this.#deps = deps;
    this.#startMs = deps.clock.monotonicMs();
    this.#startedAt = isoTime(deps.clock.nowMs());
  }

  note(noted: Noted): void {
    Object.assign(this.#noted, noted);
  }

  /** What was found of the completion conditions. */
  checked(checks: readonly CheckReport[]): void {
    this.#noted.checks = checks.map(({ output: _, ...check }) => check);
  }

  /** How they stand at the end; undefined: they were not checked. */
  get verification(): Verification | undefined {
    const { checks } = this.#noted;
    if (checks === undefined) return undefined;
    const lacking = checks.find(({ outcome }) => outcome !== 'passed');
    if (lacking === undefined) return { status: 'verified', checks };
    return { status: 'unverified', reason: lacking.why ?? `${lacking.name} does not hold.`, checks };
  }

  /** Another model takes over. */
  hop(hop: ModelHop): void {
    this.#hops.push(hop);
  }

  /** What an attempt cost, in USD; `wasted`: its response was retracted. */
  cost(usd: number, wasted: boolean): void {
    this.#costUsd += usd;
    if (wasted) this.#wastedCostUsd += usd;
  }

  /**
   * A rule's verdict. Most rules read one fact and pass: reads that equal those of the previous rule are not
   * repeated.
   */
  asked(name: string, verdict: RuleRecord['verdict'], read: Readonly<Record<string, unknown>>): void {
    const isRepeated = verdict === 'pass' && isSame(read, this.#readBefore);
    this.#rules.push(isRepeated ? { name, verdict } : { name, verdict, read });
    this.#readBefore = read;
    if (verdict !== 'pass') this.#decidedBy ??= name;
  }

  decided(decision: Decision): void {
    this.#next = decision.kind === 'continue' ? carriedState(decision.next) : undefined;
    this.#decision = this.#recorded(decision);
    this.#endMs = this.#deps.clock.monotonicMs();
  }

  #recorded(decision: Decision): NonNullable<DecisionRecord['decision']> {
    switch (decision.kind) {
      case 'stop': {
        const { reason, turnCount, verification } = decision.terminal;
        const why = this.#why('decided outside the rules');
        return {
          kind: 'stop',
          terminal: reason,
          sentence: `Stopped: ${reason} (${why}), turn ${turnCount}.`,
          ...(verification !== undefined && { verification }),
        };
      }
      case 'park':
        return { kind: 'park', sentence: sentenceOfPark(decision.parked) };
      case 'continue':
        return {
          kind: 'continue',
          transition: decision.next.transition?.reason ?? 'next_turn',
          sentence: sentenceOfContinue(decision.next, this.#why('no rule objected')),
        };
    }
  }

  #why(unasked: string): string {
    if (this.#rules.length === 0) return unasked;
    return this.#decidedBy === undefined ? 'no rule objected' : `rule "${this.#decidedBy}"`;
  }

  /**
   * Messages of the view that the previous iteration did not have; on a submission's first one, since the
   * last answer.
   */
  #added(): readonly ViewMessage[] {
    const { messages, freshFrom } = this.#from.view;
    const fresh = messages.slice(freshFrom);
    const isFirst = this.#from.transition === undefined;
    const from = isFirst ? fresh.findLastIndex(({ type }) => type === 'assistant') + 1 : 0;
    return fresh.slice(from, from + MOST_ADDED_UUIDS);
  }

  /**
   * The record is written with the next request, or with the result. Where it is missing, the process ended
   * during this iteration.
   */
  write(id: string): void {
    // The engine's own verdict (money, structured output) ends an iteration from outside.
    const outer = this.#decision === undefined ? this.#deps.guard.verdict() : undefined;
    if (outer !== undefined) this.decided({ kind: 'stop', terminal: outer });
    const { submission } = this.#params;
    this.#deps.recorder.later([{ type: 'decision', id, submission, record: this.#record() }]);
  }

  #record(): DecisionRecord {
    const params = this.#params;
    const deps = this.#deps;
    const from = this.#from;
    const { request, context, checks, cache, tokens = 0, view = from.view.messages, response } = this.#noted;
    return {
      v: 1,
      sessionId: params.sessionId,
      submission: params.submission,
      iteration: from.iteration,
      agentPath: params.agentPath,
      startedAt: this.#startedAt,
      startMs: rounded(this.#startMs),
      endMs: rounded(this.#endMs ?? deps.clock.monotonicMs()),
      prepare: this.prepare,
      view: {
        length: view.length,
        tokens,
        source: from.view.measured === undefined ? 'estimate' : 'provider',
        added: this.#added().map((message) => message.uuid),
      },
      attempts: this.attempts.map((attempt) => brief(attempt, response?.usage)),
      tools: this.tools.map(inHundredths),
      rules: this.#rules,
      budgets: {
        turnCount: from.turnCount,
        costUsd: deps.ledger.totalCostUsd(),
        ...(params.maxTurns !== undefined && { maxTurns: params.maxTurns }),
      },
      ...(from.transition !== undefined && { in: from.transition.reason }),
      ...(request !== undefined && { request }),
      ...(this.#hops[0] !== undefined && { fallback: joined(this.#hops) }),
      ...(response?.messageId !== undefined && {
        response: {
          messageId: response.messageId,
          stopReason: response.stopReason,
          blocks: response.messages.map((message) => message.message.content[0]?.type ?? 'none'),
        },
        usage: response.usage,
        cache: {
          readTokens: response.usage.cache_read_input_tokens,
          writtenTokens: response.usage.cache_creation_input_tokens,
          ...cache,
        },
      }),
      // A discarded answer has its cost too, where none took its place.
      ...((response?.messageId !== undefined || this.#costUsd > 0) && { costUsd: this.#costUsd }),
      ...(this.#wastedCostUsd > 0 && { wastedCostUsd: this.#wastedCostUsd }),
      ...(context !== undefined && { context }),
      ...(checks !== undefined && { checks }),
      ...(this.#decision !== undefined && { decision: this.#decision }),
      ...(this.#next !== undefined && { next: this.#next }),
    };
  }
}

/** The last exchange, and those before it. */
function joined(hops: readonly ModelHop[]): NonNullable<DecisionRecord['fallback']> {
  const before = hops.slice(0, -1);
  return { ...(hops.at(-1) as ModelHop), ...(before.length > 0 && { before }) };
}

/** Records are kept small: times to a hundredth of a millisecond. */
export const rounded = (ms: number): number => Math.round(ms * 100) / 100;

const TIMES = [
  'startMs',
  'firstByteMs',
  'firstContentMs',
  'endMs',
  'queuedMs',
  'startedMs',
  'endedMs',
] as const;

function inHundredths<T extends { readonly [K in (typeof TIMES)[number]]?: number }>(timed: T): T {
  const copy: T & { [K in (typeof TIMES)[number]]?: number } = { ...timed };
  for (const key of TIMES) if (timed[key] !== undefined) copy[key] = rounded(timed[key]) as never;
  return copy;
}

/** Without the usage when it equals that of the response, which the record holds itself. */
function brief({ usage, ...attempt }: AttemptRecord, answered: Usage = EMPTY_USAGE): AttemptRecord {
  const isRepeated =
    usage === undefined || isSame(usage, answered) || JSON.stringify(usage) === JSON.stringify(answered);
  return inHundredths(isRepeated ? attempt : { ...attempt, usage });
}

/** Compares records of counts and words. */
function isSame<T extends object>(a: T, b: T): boolean {
  for (const key in a) if (a[key] !== b[key] || !(key in b)) return false;
  for (const key in b) if (!(key in a)) return false;
  return true;
}

function sentenceOfPark({ askIds, wakeAt }: Parking): string {
  const questions = askIds.length === 1 ? 'an answer' : `${askIds.length} answers`;
  const time = wakeAt === undefined ? [] : [isoTime(wakeAt)];
  return `Parked: the next run waits for ${[...(askIds.length > 0 ? [questions] : []), ...time].join(' or ')}.`;
}

function sentenceOfContinue(next: State, why: string): string {
  const attempt = next.transition?.attempt === undefined ? '' : `, attempt ${next.transition.attempt}`;
  return `Went on: ${next.transition?.reason} (${why}${attempt}).`;
}
