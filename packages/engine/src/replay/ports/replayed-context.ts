/**
 * The context of a replay. What a step decides from sizes alone is decided again; what a model, a file or a
 * hook contributed to a change of the view is taken from the record.
 */
import { createContext } from '../../context/context-port.ts';
import { type Calibration, createCalibration } from '../../context/estimate/calibration.ts';
import { estimateView } from '../../context/estimate/request-estimate.ts';
import { limitsFor } from '../../context/estimate/thresholds.ts';
import { estimateTokens } from '../../context/estimate/token-estimate.ts';
import { modelInfo } from '../../model/catalog/model-info.ts';
import type {
  CompactionState,
  ContextLimits,
  ContextPort,
  ContextStep,
  EstimatedRequest,
  RecoveryOutcome,
  RequestEstimate,
  StepInput,
  StepOutcome,
} from '../../protocol/model/context.ts';
import { FRESH_RETRY_STATE } from '../../protocol/model/model.ts';
import type { View } from '../../protocol/model/view.ts';
import type { PrepareRecord } from '../../protocol/session/decision-record.ts';
import { NO_HOOK_VERDICT } from '../../protocol/tools/hook.ts';
import type { Cursor } from '../cursor.ts';
import type { EditRecord, RecordedIteration } from '../recorded.ts';

/** What a process has learned of the sizes of requests: its later runs know it too. */
export class LearnedSizes {
  readonly calibration: Calibration = createCalibration();
  /** Estimated tokens of a request outside its messages, where the record does not say. */
  head = 0;
  counted: { readonly tokens: number; readonly length: number } | undefined;
}

/** Steps whose answer follows from the view and the limits. */
const PURE = new Set(['after-boundary', 'autocompact', 'usage-warning', 'blocking-limit']);

export function contextPort(cursor: Cursor, learned: LearnedSizes): ContextPort {
  const facts = cursor.run.facts;
  const real = createContext({
    callModel: async function* none() {
      yield* [];
      return { kind: 'aborted', retry: FRESH_RETRY_STATE, attempts: [] };
    },
    ledger: { settle: () => 0, totalCostUsd: () => 0 },
    clock: cursor.clock,
    ids: cursor.ids,
    hooks: { run: async () => NO_HOOK_VERDICT, has: () => false },
    spill: async () => ({ kind: 'lost', why: 'a replay writes nothing' }) as never,
    modelSize: (model: string) => sizeOf(model, cursor),
    mainRequest: () => ({ sessionId: '', foreground: true, system: [], tools: [], maxTokens: 1 }),
    ...(facts?.limits !== undefined && { limits: facts.limits }),
    ...(facts?.autocompact === false && { autocompact: false }),
    ...(facts?.reactiveCompact !== undefined && { reactiveCompact: facts.reactiveCompact }),
    microcompactable: () => false,
    session: cursor.scope,
  } as unknown as Parameters<typeof createContext>[0]);
  let ran = 0;
  const steps = namesOf(cursor, real).map((name): ContextStep => {
    const step = real.steps.find((each) => each.name === name);
    return {
      name,
      run(input) {
        const { now } = cursor;
        if (now === undefined) return { kind: 'skip', why: 'the record has ended' };
        if (ran === 0 || now.record?.prepare[0]?.step === name) ran = 0;
        ran++;
        const recorded = now.record?.prepare.find((each) => each.step === name);
        // An abort within a step ends the stage before the next one.
        if (isAbortedIn(cursor, now, ran)) cursor.abort();
        if (recorded === undefined) return step?.run(input) ?? { kind: 'skip', why: 'not recorded' };
        // Of a version that did not record the limits.
        const isUnknown = cursor.run.facts === undefined && now.record?.context === undefined;
        return stepAgain(isUnknown ? undefined : step, input, recorded, now);
      },
    };
  });
  return {
    steps,
    recovery: {
      drainCollapses: () => () => recovered(cursor, 'drain'),
      reactiveCompact: () => () => recovered(cursor, 'compact'),
      mechanicalTrim: () => () => recovered(cursor, 'trim'),
      reduceMedia: () => () => recovered(cursor, 'media'),
    },
    limitsFor: (model) => limits(model, cursor, real),
    measure(request) {
      // Before the first step.
      const { now } = cursor;
      if (now !== undefined && isAbortedIn(cursor, now, 0)) cursor.abort();
      return measure(request, cursor, learned);
    },
    estimate: (messages, model) =>
      Math.ceil(estimateTokens(messages) * (model === undefined ? 1 : learned.calibration.factor(model))),
    calibrate: (estimated, reported, model) =>
      learned.calibration.report(estimated / learned.calibration.factor(model), reported, model),
    learnFrom: (failure, model) => real.learnFrom?.(failure, model),
  };
}

/** The steps of this version; without a record of parameters, those that the record names. */
function namesOf({ run }: Cursor, real: ContextPort): readonly string[] {
  const own = real.steps.map(({ name }) => name);
  const [first] = run.iterations;
  const { off = [] } = run.facts ?? {};
  if (run.facts !== undefined || first?.record === undefined)
    return own.filter((name) => !off.includes(name));
  const named = run.iterations.flatMap(({ record }) => record?.prepare.map(({ step }) => step) ?? []);
  return own.filter((name) => named.includes(name));
}

/** Nothing was asked of the model after this many steps. */
function isAbortedIn(cursor: Cursor, { record, attempts, told }: RecordedIteration, ran: number): boolean {
  const isAsked = attempts.length > 0 || told.calls !== undefined;
  if (cursor.abortReason === undefined || isAsked || record === undefined) return false;
  return ran >= record.prepare.length;
}

const VOIDED = /; thinking behind the change is void \(\d+\)$/;

function stepAgain(
  step: ContextStep | undefined,
  input: StepInput,
  recorded: PrepareRecord,
  now: RecordedIteration,
): ReturnType<ContextStep['run']> {
  const own = step !== undefined && isDecidedHere(step.name, input) ? step.run(input) : undefined;
  if (own !== undefined && typeof own !== 'function') return own;
  if (own !== undefined && step?.name === 'usage-warning') return own;
  if (!recorded.ran) {
    if (own !== undefined && /, below \d+$/.test(recorded.why))
      return { kind: 'skip', why: `${input.estimateTokens} tokens, not below ${input.limits.autocompactAt}` };
    return { kind: 'skip', why: recorded.why };
  }
  return changedAgain(recorded, input, now);
}

/** What depends on files, tools and helper models is not decided again. */
function isDecidedHere(
  name: string,
  { estimateTokens: tokens, limits: { autocompactAt } }: StepInput,
): boolean {
  return PURE.has(name) || (name === 'microcompact' && tokens < autocompactAt / 2);
}

/** What the step did, by its record. */
function changedAgain(
  { step, why, tokensBefore = 0, tokensAfter }: PrepareRecord,
  input: StepInput,
  now: RecordedIteration,
): ReturnType<ContextStep['run']> {
  const edit = now.edits.find(({ id }) => id.endsWith(`/edit/${step}`));
  const { record } = now;
  if (edit === undefined) {
    const { decision } = record ?? {};
    const isLast = record?.prepare.at(-1)?.step === step;
    if (decision?.kind === 'stop' && isLast && isLimit(decision.terminal))
      return { kind: 'stop', reason: decision.terminal, message: why };
    if (step === 'microcompact') return { kind: 'request', contextManagement: {}, why };
    return { kind: 'note', why, compaction: compactionAfter(now) ?? input.compaction };
  }
  const boundaries = now.notices.filter((notice) => /_boundary$/.test(notice.subtype));
  const freed = (tokensBefore - (tokensAfter ?? tokensBefore)) / (input.tokenFactor ?? 1);
  const outcome: StepOutcome = {
    kind: 'edits',
    source: edit.type,
    edits: edit.edits,
    why: edit.why.replace(VOIDED, ''),
    tokensFreed: freed,
    ...(step === 'autocompact' && {
      compaction: compactionAfter(now) ?? { ...input.compaction, turnsSinceCompact: 0, warned: false },
    }),
  };
  return async (output) => {
    if (boundaries.length > 0) await output.emit(boundaries);
    return outcome;
  };
}

const isLimit = (reason: string): reason is 'blocking_limit' | 'rapid_refill_breaker' =>
  reason === 'blocking_limit' || reason === 'rapid_refill_breaker';

/** The state that the next iteration began with, as it was before the turn had passed. */
function compactionAfter({ record }: RecordedIteration): CompactionState | undefined {
  const { decision, next } = record ?? {};
  const state = next?.compaction;
  if (decision?.kind !== 'continue' || state?.turnsSinceCompact === undefined) return state;
  const passed = decision.transition === 'next_turn' || decision.transition === 'verify_failed' ? 1 : 0;
  return { ...state, turnsSinceCompact: state.turnsSinceCompact - passed };
}

type Strategy = 'drain' | 'compact' | 'trim' | 'media';

/** Which strategy made the change follows from what the next iteration knows to have been tried. */
function recovered(cursor: Cursor, strategy: Strategy): RecoveryOutcome {
  const { now } = cursor;
  const edit = now?.edits.find(({ id }) => id.includes('/edit/recovery/'));
  if (now === undefined || edit === undefined) {
    if (strategy !== 'drain') cursor.abort();
    return { kind: 'none', why: 'nothing is recorded' };
  }
  if (strategyOf(edit, now) !== strategy) return { kind: 'none', why: 'nothing is recorded' };
  const { type: source, edits } = edit;
  const isMarked = now.record?.next?.recovery?.mediaReduced === true;
  return {
    kind: 'edits',
    source,
    edits,
    tokensFreed: 0,
    compacted: source === 'boundary',
    ...(strategy === 'media' && !isMarked && { named: true }),
  };
}

function strategyOf({ type }: EditRecord, { record }: RecordedIteration): Strategy {
  const { decision, next } = record ?? {};
  if (decision?.kind === 'continue' && decision.transition === 'collapse_drain_retry') return 'drain';
  const decided = record?.rules.at(-1)?.name;
  if (decided === 'media_too_large') return 'media';
  if (next?.recovery?.trimmed === true) return 'trim';
  if (next?.recovery?.mediaReduced === true && type === 'replacement') return 'media';
  return 'compact';
}

function sizeOf(model: string, { run, now }: Cursor) {
  const told = run.facts?.sizes?.[model];
  if (told !== undefined) return told;
  const { contextWindow, maxOutputTokens } = modelInfo(model);
  const recorded =
    run.facts === undefined && now?.record?.request?.model === model ? now.record.context?.window : undefined;
  return { contextWindow: recorded ?? contextWindow, maxOutputTokens };
}

/** Of a version that did not record how they were chosen, the limits themselves. */
function limits(model: string, cursor: Cursor, real: ContextPort): ContextLimits {
  const { run, now } = cursor;
  const context = now?.record?.context;
  if (run.facts !== undefined || context === undefined) return real.limitsFor(model);
  const { window, autocompactAt, blockingAt } = context;
  const byFormula = limitsFor(sizeOf(model, cursor));
  if (byFormula.autocompactAt === autocompactAt && byFormula.blockingAt === blockingAt) return byFormula;
  return { ...byFormula, window, autocompactAt, blockingAt };
}

/** The part outside the messages has the recorded size; so has the view that the run began with. */
function measure({ model, view }: EstimatedRequest, cursor: Cursor, learned: LearnedSizes): RequestEstimate {
  const { calibration } = learned;
  const n = cursor.measured++;
  const size = cursor.now?.told.sizes?.find((each) => (each.n ?? 0) === n);
  if (size?.factor !== undefined) calibration.set(model, size.factor, size.least);
  const factor = calibration.factor(model);
  const leastCounted = calibration.least(model);
  const overheadOf = (tokens: number) =>
    Math.min(tokens * factor, Math.max(tokens, leastCounted ?? Number.POSITIVE_INFINITY));
  const told = cursor.now?.head;
  if (told === undefined && Math.ceil(overheadOf(learned.head)) !== cursor.now?.record?.context?.overhead)
    learned.head = headOf(cursor, Math.ceil(estimateView(view) * factor), factor);
  const head = told ?? learned.head;
  if (size?.view !== undefined) estimateView.begin(view, size.view);
  else beginAsCounted(view, head, cursor, learned);
  const overhead = overheadOf(head);
  return {
    tokens: size?.tokens ?? Math.ceil(overhead + estimateView(view) * factor),
    overheadTokens: Math.ceil(overhead),
    factor,
    leastCounted,
  };
}

/** Of a version that did not record it: what the provider had counted where a process took the session up. */
function beginAsCounted(view: View, head: number, { run }: Cursor, learned: LearnedSizes): void {
  const { counted } = learned;
  learned.counted = undefined;
  const before = run.view.first(counted?.length ?? 0);
  if (counted !== undefined && before.root === view.root)
    estimateView.begin(before, Math.max(0, counted.tokens - head));
}

/** Of a version that did not record it: what the estimates of the record leave for it. */
function headOf({ now }: Cursor, messages: number, factor: number): number {
  const { context, view } = now?.record ?? {};
  if (context?.overhead !== undefined) return Math.round(context.overhead / factor);
  return view?.source === 'estimate' ? Math.max(0, view.tokens - messages) : 0;
}
