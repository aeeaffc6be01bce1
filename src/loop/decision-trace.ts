/** Collects one iteration's decision record while it runs, and writes it when the iteration closes. */
import type { CacheReport } from '../protocol/cache.ts';
import type { DecisionRecord, PrepareRecord, RuleRecord } from '../protocol/decision-record.ts';
import type { ViewMessage } from '../protocol/messages.ts';
import type { AttemptRecord } from '../protocol/model.ts';
import type { ToolTrace } from '../protocol/tool.ts';
import type { Usage } from '../protocol/wire.ts';
import { isoTime } from '../util/iso-time.ts';
import type { Decision } from './decision.ts';
import type { LoopDeps, LoopParams } from './deps.ts';
import type { Iteration } from './iteration.ts';
import { carriedState, type State } from './state.ts';

export class DecisionTrace {
  readonly #startMs: number;
  readonly #startedAt: string;
  readonly #in: State['transition'];
  readonly #from: State;
  readonly prepare: PrepareRecord[] = [];
  readonly attempts: AttemptRecord[] = [];
  readonly tools: ToolTrace[] = [];
  request: DecisionRecord['request'];
  fallback: DecisionRecord['fallback'];
  costUsd = 0;
  wastedCostUsd = 0;
  tokens = 0;
  /** Steps that changed the view. */
  readonly editedBy: string[] = [];
  context: DecisionRecord['context'];
  cache: CacheReport | undefined;
  readonly #rules: RuleRecord[] = [];
  /** What the rule before had read. */
  #readBefore: Readonly<Record<string, unknown>> = {};
  /** The rule that did not pass. */
  #decidedBy: string | undefined;
  #decision: DecisionRecord['decision'];
  #next: DecisionRecord['next'];

  constructor(state: State, _params: LoopParams, deps: LoopDeps) {
    this.#from = state;
    this.#in = state.transition;
    this.#startMs = deps.clock.monotonicMs();
    this.#startedAt = isoTime(deps.clock.nowMs());
  }

  /** A rule's verdict. Most look at one fact and pass: what the rule before has read too is not said again. */
  asked(name: string, verdict: RuleRecord['verdict'], read: Readonly<Record<string, unknown>>): void {
    const isSaid = verdict === 'pass' && isSame(read, this.#readBefore);
    this.#rules.push(isSaid ? { name, verdict } : { name, verdict, read });
    this.#readBefore = read;
    if (verdict !== 'pass') this.#decidedBy ??= name;
  }

  decided(decision: Decision): void {
    this.#next = decision.kind === 'continue' ? carriedState(decision.next) : undefined;
    this.#decision =
      decision.kind === 'stop'
        ? {
            kind: 'stop',
            terminal: decision.terminal.reason,
            sentence: `Stopped: ${decision.terminal.reason} (${this.#why('decided outside the rules')}), turn ${decision.terminal.turnCount}.`,
          }
        : {
            kind: 'continue',
            transition: decision.next.transition?.reason ?? 'next_turn',
            sentence: sentenceOfContinue(decision.next, this.#why('no rule objected')),
          };
  }

  #why(unasked: string): string {
    if (this.#rules.length === 0) return unasked;
    return this.#decidedBy === undefined ? 'no rule objected' : `rule "${this.#decidedBy}"`;
  }

  /** Of the view, since the iteration before; of a submission's first one, since the last answer. */
  #added(): readonly ViewMessage[] {
    const { messages, freshFrom } = this.#from.view;
    const fresh = messages.slice(freshFrom);
    const from = this.#in === undefined ? fresh.findLastIndex(({ type }) => type === 'assistant') + 1 : 0;
    return fresh.slice(from, from + 24);
  }

  /** It goes out with the next request, or with the result. One that is missing reads as "cut off here". */
  write(iteration: Iteration): void {
    const { params, deps, response, state } = iteration;
    // The engine's own verdict (money, structured output) ends an iteration from outside.
    const outer = this.#decision === undefined ? deps.guard.verdict() : undefined;
    if (outer !== undefined) this.decided({ kind: 'stop', terminal: outer });
    const used = response.usage;
    const record: DecisionRecord = {
      v: 1,
      sessionId: params.sessionId,
      submission: params.submission,
      iteration: state.iteration,
      agentPath: params.agentPath,
      startedAt: this.#startedAt,
      startMs: rounded(this.#startMs),
      endMs: rounded(deps.clock.monotonicMs()),
      prepare: this.prepare,
      view: {
        length: state.view.messages.length,
        tokens: this.tokens,
        source: this.#from.view.measured === undefined ? 'estimate' : 'provider',
        added: this.#added().map((message) => message.uuid),
      },
      attempts: this.attempts.map((attempt) => brief(attempt, used)),
      tools: this.tools.map(inHundredths),
      rules: this.#rules,
      budgets: {
        turnCount: state.turnCount,
        costUsd: deps.ledger.totalCostUsd(),
        ...(params.maxTurns !== undefined && { maxTurns: params.maxTurns }),
      },
      ...(this.#in !== undefined && { in: this.#in.reason }),
      ...(this.request !== undefined && { request: this.request }),
      ...(this.fallback !== undefined && { fallback: this.fallback }),
      ...(response.messageId !== undefined && {
        response: {
          messageId: response.messageId,
          stopReason: response.stopReason,
          blocks: response.messages.map((message) => message.message.content[0]?.type ?? 'none'),
        },
        usage: used,
        costUsd: this.costUsd,
        cache: {
          readTokens: used.cache_read_input_tokens,
          writtenTokens: used.cache_creation_input_tokens,
          ...this.cache,
        },
      }),
      ...(this.wastedCostUsd > 0 && { wastedCostUsd: this.wastedCostUsd }),
      ...(this.context !== undefined && { context: this.context }),
      ...(this.#decision !== undefined && { decision: this.#decision }),
      ...(this.#next !== undefined && { next: this.#next }),
    };
    const { submission } = params;
    deps.recorder.later([{ type: 'decision', id: iteration.id('decision'), submission, record }]);
  }
}

/** Records are kept small: a hundredth of a millisecond is as fine as anybody reads them. */
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

/** What the answer cost stands in the record's own `usage`. */
function brief({ usage, ...attempt }: AttemptRecord, answered: Usage): AttemptRecord {
  const isSaid =
    usage === undefined || isSame(usage, answered) || JSON.stringify(usage) === JSON.stringify(answered);
  return inHundredths(isSaid ? attempt : { ...attempt, usage });
}

/** Of counts and words. */
function isSame<T extends object>(a: T, b: T): boolean {
  for (const key in a) if (a[key] !== b[key] || !(key in b)) return false;
  for (const key in b) if (!(key in a)) return false;
  return true;
}

function sentenceOfContinue(next: State, why: string): string {
  const attempt = next.transition?.attempt === undefined ? '' : `, attempt ${next.transition.attempt}`;
  return `Went on: ${next.transition?.reason} (${why}${attempt}).`;
}
