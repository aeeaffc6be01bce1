/** Stage 1: the context steps, in the order of `context/steps.ts`. With no edits this costs O(fresh). */
import type { RequestEstimate, StepInput, StepOutcome } from '../../protocol/context.ts';
import type { LoopMessage, ViewMessage } from '../../protocol/messages.ts';
import type { Terminal } from '../../protocol/terminal.ts';
import { andThen } from '../../util/and-then.ts';
import { editList } from '../../util/edit-list.ts';
import type { PersistentList } from '../../util/persistent-list.ts';
import { stop } from '../decision.ts';
import { rounded } from '../decision-trace.ts';
import type { Iteration } from '../iteration.ts';
import { type Announced, announcing, PassInput } from '../recovery/context-recovery.ts';
import { errorMessage } from '../say.ts';
import type { State } from '../state.ts';
import { switchModel } from '../switch-model.ts';
import { afterCompactions } from '../task-budget.ts';

interface Pass {
  state: State;
  tokens: number;
  compacted: boolean;
  /** What the steps are told, until one of them changes it. */
  input: StepInput | undefined;
}

/** Returns the terminal of a limit that no recovery is left for, else nothing. */
export async function* prepareView(iteration: Iteration): AsyncGenerator<LoopMessage, Terminal | undefined> {
  if (iteration.state.pendingSummary !== undefined) yield* settledSummary(iteration);
  switchModel(iteration);
  const { deps, state } = iteration;
  const measuring = measure(state.view.messages, iteration);
  iteration.estimate = 'then' in measuring ? await measuring : measuring;
  const pass: Pass = {
    state,
    tokens: tokensOf(state, iteration),
    // What a recovery has just made smaller goes out first: only an answer says whether more has to go.
    compacted: state.transition?.reason === 'reactive_compact_retry',
    input: undefined,
  };
  iteration.trace.tokens = pass.tokens;
  if (carriesOn(iteration)) return undefined;
  deps.onStage?.('compact_check');
  let fromMs = deps.clock.monotonicMs();
  for (const step of deps.context.steps) {
    if (iteration.abortReason !== undefined) return undefined; // rule 1 decides; no request is made
    const answer = step.run(stepInput(pass, iteration));
    const { outcome, held, boundaries } =
      'kind' in answer ? { outcome: answer, held: [], boundaries: [] } : yield* announcing(answer, iteration);
    if (outcome.kind === 'skip') {
      iteration.trace.prepare.push({ step: step.name, ran: false, why: outcome.why });
      continue;
    }
    const edited = await editedBy(outcome, pass, iteration);
    note(outcome, edited, { step: step.name, tokensBefore: pass.tokens, fromMs }, iteration);
    fromMs = deps.clock.monotonicMs();
    if (outcome.kind === 'stop') {
      yield* iteration.say(errorMessage(deps, outcome.message, 'invalid_request'));
      const decision = stop(pass.state, outcome.reason);
      iteration.trace.decided(decision);
      return decision.kind === 'stop' ? decision.terminal : undefined;
    }
    await apply(outcome, { edited, boundaries }, pass, iteration, step.name);
    for (const message of held) yield message;
  }
  iteration.state = pass.state;
  iteration.trace.tokens = pass.tokens;
  const limits = deps.context.limitsFor(state.model.current);
  iteration.trace.context = {
    window: limits.window,
    used: pass.tokens,
    overhead: iteration.estimate.overheadTokens,
    autocompactAt: limits.autocompactAt,
    blockingAt: limits.blockingAt,
  };
  return undefined;
}

/** The first iteration of a run that takes up an interrupted one has its response already. */
export const carriesOn = ({ params, state }: Iteration): boolean =>
  params.carryOn !== undefined &&
  state.iteration === params.carryOn.iteration &&
  state.transition === undefined;

/** The provider's figure where there is one, and an estimate of what came after it: O(fresh). */
function tokensOf(state: State, { deps, estimate }: Iteration): number {
  const { messages, measured } = state.view;
  if (measured === undefined) return estimate.tokens;
  return measured.tokens + deps.context.estimate(messages.slice(measured.length), state.model.current);
}

/** The whole request by estimate, with what no message accounts for. */
function measure(
  view: PersistentList<ViewMessage>,
  iteration: Iteration,
): RequestEstimate | Promise<RequestEstimate> {
  const { params, state, deps } = iteration;
  const { context } = deps;
  const model = state.model.current;
  const { system, userContext } = params;
  return andThen(deps.tools.wireTools(model), (tools) => {
    iteration.wireTools = tools;
    return (
      context.measure?.({ model, view, system, userContext, tools }) ?? {
        tokens: context.estimate(view.slice(), model),
        overheadTokens: 0,
        factor: 1,
      }
    );
  });
}

interface Edited {
  readonly messages: PersistentList<ViewMessage>;
  readonly tokens: number;
}

/** A compaction leaves little of what was measured, so its view is estimated afresh; what else is freed is subtracted (F29). */
async function editedBy(outcome: StepOutcome, pass: Pass, iteration: Iteration): Promise<Edited | undefined> {
  if (outcome.kind !== 'edits') return undefined;
  const messages = editList(pass.state.view.messages, outcome.edits);
  const freed = Math.round(outcome.tokensFreed * iteration.estimate.factor);
  const tokens =
    outcome.compaction !== undefined && iteration.deps.context.measure !== undefined
      ? (await measure(messages, iteration)).tokens
      : Math.max(0, pass.tokens - freed);
  return { messages, tokens };
}

function stepInput(pass: Pass, iteration: Iteration): StepInput {
  const { view } = pass.state;
  pass.input ??= new PassInput(pass.state, iteration, {
    fresh: view.messages.slice(view.freshFrom),
    estimateTokens: pass.tokens,
    compactedInThisPass: pass.compacted,
    effectKey: iteration.id('step'),
  });
  return pass.input;
}

/** What a step did, for the decision record. */
function note(
  outcome: Exclude<StepOutcome, { kind: 'skip' }>,
  edited: Edited | undefined,
  {
    step,
    tokensBefore,
    fromMs,
  }: { readonly step: string; readonly tokensBefore: number; readonly fromMs: number },
  { trace, deps }: Iteration,
): void {
  trace.prepare.push({
    step,
    ran: true,
    why: outcome.kind === 'stop' ? outcome.message : outcome.why,
    tokensBefore,
    ms: rounded(deps.clock.monotonicMs() - fromMs),
    ...(edited === undefined ? {} : { tokensAfter: edited.tokens }),
  });
  if (edited !== undefined) trace.editedBy.push(step);
}

async function apply(
  outcome: Exclude<StepOutcome, { kind: 'stop' | 'skip' }>,
  { edited, boundaries }: { readonly edited: Edited | undefined } & Pick<Announced<unknown>, 'boundaries'>,
  pass: Pass,
  iteration: Iteration,
  step: string,
): Promise<void> {
  const { state } = pass;
  pass.input = undefined;
  if (outcome.kind === 'request') {
    iteration.contextManagement = outcome.contextManagement;
    return;
  }
  if (outcome.kind === 'note') {
    pass.state = { ...state, compaction: outcome.compaction };
    return;
  }
  if (edited === undefined) return;
  const { submission } = iteration.params;
  await iteration.record({
    type: outcome.source,
    id: iteration.id(`edit/${step}`),
    submission,
    edits: outcome.edits,
    why: outcome.why,
  });
  const { messages } = edited;
  pass.tokens = edited.tokens;
  const compacted = outcome.compaction !== undefined;
  pass.compacted ||= compacted;
  pass.state = {
    ...state,
    view: {
      messages,
      // Behind a compaction nothing is fresh: what follows it stands as the summary left it.
      freshFrom: compacted ? messages.length : Math.min(state.view.freshFrom, messages.length),
      measured: { tokens: pass.tokens, length: messages.length },
    },
    compaction: outcome.compaction ?? state.compaction,
    budgets: {
      ...state.budgets,
      taskRemaining: afterCompactions(state.budgets.taskRemaining, boundaries),
    },
  };
}

/** A tool-use summary started earlier is shown when it is there, and never waited for. */
async function* settledSummary(iteration: Iteration): AsyncGenerator<LoopMessage, void> {
  const { state, deps } = iteration;
  if (state.pendingSummary === undefined) return;
  const summary = deps.toolUseSummary?.take(state.pendingSummary);
  if (summary === undefined) return;
  yield summary;
  iteration.state = { ...state, pendingSummary: undefined };
}
