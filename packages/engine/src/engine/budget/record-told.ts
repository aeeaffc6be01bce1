/**
 * Writes down what the loop learns from outside and no other record holds, with the decision of each
 * iteration: what its run was given, calls that failed, answers of hooks, and when it was aborted.
 */

import { extended } from '@turnwright/base/collections/extended.ts';
import type { Writable } from '@turnwright/base/collections/writable.ts';
import { estimateHead } from '../../context/estimate/request-estimate.ts';
import { limitsFor } from '../../context/estimate/thresholds.ts';
import type { LoopDeps, LoopParams } from '../../loop/deps.ts';
import { layered } from '../../model/call-layers.ts';
import { modelInfo } from '../../model/catalog/model-info.ts';
import type { EstimatedRequest } from '../../protocol/model/context.ts';
import type { CallModel, ModelOutcome } from '../../protocol/model/model.ts';
import type { JournalBody, Recorder } from '../../protocol/session/journal.ts';
import type { RunFacts, Told, ToldCall, ToldSize, Waited } from '../../protocol/session/told.ts';
import type { VerifyPort } from '../../protocol/session/verification.ts';
import type { HookEvent, HookPort } from '../../protocol/tools/hook.ts';
import { tellSizes } from './tell-sizes.ts';

/** Caps and limits that a run has by itself. */
export interface RunDefaults {
  readonly defaultOutputCap: number;
  readonly escalatedOutputCap: number;
  readonly stopHookBlockCap: number;
  /** Options of the context and of money that differ from their defaults. */
  readonly context: Pick<RunFacts, 'limits' | 'off' | 'autocompact' | 'reactiveCompact' | 'isPaidAhead'>;
}

/** The ports, which also write down what the loop learned from them. */
export function recordTold(deps: LoopDeps, params: LoopParams, defaults: RunDefaults): LoopDeps {
  const teller = new Teller(deps, params, defaults);
  return extended(deps, {
    recorder: teller.recorder,
    callModel: teller.callModel,
    hooks: teller.hooks,
    context: teller.context,
    verify: teller.verify,
  });
}

class Teller {
  readonly #deps: LoopDeps;
  readonly #params: LoopParams;
  readonly #defaults: RunDefaults;
  #told: Writable<Told> = {};
  #calls = 0;
  #measured = 0;
  #head: number | undefined;
  #isFirst = true;
  #waited: Waited = 'nothing';

  constructor(deps: LoopDeps, params: LoopParams, defaults: RunDefaults) {
    this.#deps = deps;
    this.#params = params;
    this.#defaults = defaults;
    this.context = tellSizes(deps.context, (size, request) => this.#measure(size, request));
    params.scope.onAbort((reason) => {
      this.#told.abort = { reason: typeof reason === 'string' ? reason : 'user', during: this.#waited };
    });
  }

  readonly context: LoopDeps['context'];

  readonly recorder: Recorder = {
    append: (entries) => this.#deps.recorder.append(entries),
    later: (entries) => {
      const [first] = entries;
      this.#deps.recorder.later(first?.type === 'decision' ? [this.#withTold(first)] : entries);
    },
    commit: () => this.#deps.recorder.commit(),
  };

  #withTold(decision: Extract<JournalBody, { type: 'decision' }>): JournalBody {
    const told = this.#told;
    if (this.#isFirst) told.run = factsOf(this.#params, this.#deps, this.#defaults);
    this.#isFirst = false;
    this.#told = {};
    this.#calls = 0;
    this.#measured = 0;
    const hooks = this.#deps.hooks.ran?.() ?? [];
    const whole = hooks.length === 0 ? decision : { ...decision, record: { ...decision.record, hooks } };
    for (const _ in told) return { ...whole, told };
    return whole;
  }

  readonly callModel: CallModel = layered(
    (...call) => this.#deps.callModel(...call),
    [
      {
        before: () => {
          this.#waited = 'model';
          return undefined;
        },
        after: (_, outcome) => {
          this.#waited = 'nothing';
          this.#ended(outcome, this.#calls++);
          return undefined;
        },
      },
    ],
  );

  #measure(size: ToldSize | undefined, request: EstimatedRequest): void {
    const n = this.#measured++;
    if (size !== undefined) this.#told.sizes = [...(this.#told.sizes ?? []), n === 0 ? size : { n, ...size }];
    const head = estimateHead(request);
    if (head === this.#head) return;
    this.#head = head;
    this.#told.head = head;
  }

  /** A call that was answered at once is in the record as it is. */
  #ended(outcome: ModelOutcome | undefined, n: number): void {
    if (outcome === undefined || (outcome.kind === 'complete' && outcome.attempts.length === 1)) return;
    const { overloadedInARow, stalledInARow = 0 } = outcome.retry;
    const call: Writable<ToldCall> = { n, attempts: outcome.attempts.length, kind: outcome.kind };
    if (outcome.kind === 'failed' || outcome.kind === 'broken') {
      const { cause: _, ...failure } = outcome.failure;
      call.failure = failure;
    }
    if (overloadedInARow > 0) call.overloadedInARow = overloadedInARow;
    if (stalledInARow > 0) call.stalledInARow = stalledInARow;
    if (outcome.kind === 'parked') {
      call.wakeAt = outcome.wakeAt;
      if (outcome.why !== undefined) call.why = outcome.why;
    }
    this.#told.calls = [...(this.#told.calls ?? []), call];
  }

  get verify(): VerifyPort | undefined {
    const port = this.#deps.verify;
    if (port === undefined) return undefined;
    return {
      attempts: port.attempts,
      check: async (end) => {
        this.#waited = 'checks';
        const checks = await port.check(end);
        this.#waited = 'nothing';
        if (checks !== undefined) this.#told.checks = checks;
        return checks;
      },
    };
  }

  readonly hooks: HookPort = {
    has: (event) => this.#deps.hooks.has(event),
    run: async (call, options) => {
      const before = this.#waited;
      this.#waited = 'hooks';
      const verdict = await this.#deps.hooks.run(call, options);
      this.#waited = before;
      const event = call.event as HookEvent;
      if (this.#deps.hooks.has(event)) this.#told.hooks = [...(this.#told.hooks ?? []), { event, verdict }];
      return verdict;
    },
  };
}

const HOOKS: readonly HookEvent[] = ['Stop', 'SubagentStop', 'PostToolBatch'];

const hooksAsked = ({ hooks }: LoopDeps, { depth }: LoopParams): readonly HookEvent[] =>
  HOOKS.filter((event) => hooks.has(event) && event !== (depth === 0 ? 'SubagentStop' : 'Stop'));

function factsOf(params: LoopParams, deps: LoopDeps, defaults: RunDefaults): RunFacts {
  const { fallbackModels, structuredOutput, thinking, taskBudget, tokenBudget } = params;
  const { taskBudgetRemaining, maxOutputTokens } = params;
  const { defaultOutputCap, escalatedOutputCap, stopHookBlockCap } = params;
  const hooks = hooksAsked(deps, params);
  const models = [params.model, ...fallbackModels];
  const providers = Object.fromEntries(
    models.flatMap((name) => {
      const provider = deps.providerOf?.(name);
      return provider === undefined ? [] : [[name, provider]];
    }),
  );
  const sizes = Object.fromEntries(models.flatMap((name) => ownSize(name, deps, defaults)));
  return {
    ...defaults.context,
    ...(fallbackModels.length > 0 && { fallbackModels }),
    ...(Object.keys(providers).length > 0 && { providers }),
    ...(Object.keys(sizes).length > 0 && { sizes }),
    ...(thinking !== undefined && { thinking }),
    ...(taskBudget !== undefined && { taskBudget }),
    ...(taskBudgetRemaining !== undefined && { taskBudgetRemaining }),
    ...(tokenBudget !== undefined && { tokenBudget }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(defaultOutputCap !== defaults.defaultOutputCap && { defaultOutputCap }),
    ...(escalatedOutputCap !== defaults.escalatedOutputCap && { escalatedOutputCap }),
    ...(stopHookBlockCap !== defaults.stopHookBlockCap && { stopHookBlockCap }),
    ...(structuredOutput !== undefined && { structuredOutput: structuredOutput.toolName }),
    ...(!params.foreground && { isBackground: true as const }),
    ...(deps.parking !== undefined && { parks: true as const }),
    ...(hooks.length > 0 && { hooks }),
    ...(deps.verify !== undefined && { verifyAttempts: deps.verify.attempts }),
  };
}

/** Of a model that the list does not have with this size. */
function ownSize(
  name: string,
  deps: LoopDeps,
  { context }: RunDefaults,
): [string, { contextWindow: number; maxOutputTokens: number }][] {
  const { maxOutputTokens } = deps.modelLimits(name);
  const listed = modelInfo(name);
  const { window, effective } = deps.context.limitsFor(name);
  const byList = limitsFor(listed, context.limits);
  if (
    maxOutputTokens === listed.maxOutputTokens &&
    window === byList.window &&
    effective === byList.effective
  )
    return [];
  return [[name, { contextWindow: window, maxOutputTokens }]];
}
