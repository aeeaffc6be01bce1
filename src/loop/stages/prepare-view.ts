/** Stage 1: the context steps, in the order of `context/steps.ts`. With no edits this costs O(fresh). */
import type { ContextStep, StepOutcome } from '../../protocol/context.ts';
import type { LoopMessage } from '../../protocol/messages.ts';
import type { Terminal } from '../../protocol/terminal.ts';
import { editList } from '../../util/edit-list.ts';
import { stop } from '../decision.ts';
import type { Iteration } from '../iteration.ts';
import { announcing, recoveryInput } from '../recovery/context-recovery.ts';
import { errorMessage } from '../say.ts';
import type { State } from '../state.ts';

interface Pass {
  state: State;
  tokens: number;
  snipTokensFreed: number;
  compacted: boolean;
}

/** Returns the terminal of a limit that no recovery is left for, else nothing. */
export async function* prepareView(iteration: Iteration): AsyncGenerator<LoopMessage, Terminal | undefined> {
  const { deps, state } = iteration;
  yield* settledSummary(iteration);
  const pass: Pass = { state, tokens: estimate(state, iteration), snipTokensFreed: 0, compacted: false };
  iteration.trace.tokens = pass.tokens;
  if (carriesOn(iteration)) return undefined;
  deps.onStage?.('compact_check');
  for (const step of deps.context.steps) {
    if (iteration.abortReason !== undefined) return undefined; // rule 1 decides; no request is made
    const { outcome, held } = yield* runStep(step, pass, iteration);
    if (outcome.kind === 'stop') {
      yield* iteration.say(errorMessage(deps, outcome.message, 'invalid_request'));
      const decision = stop(pass.state, outcome.reason);
      iteration.trace.decided(decision);
      return decision.kind === 'stop' ? decision.terminal : undefined;
    }
    await apply(outcome, pass, iteration, step.name);
    yield* held;
  }
  iteration.state = pass.state;
  iteration.trace.tokens = pass.tokens;
  const limits = deps.context.limitsFor(state.model.current);
  iteration.trace.context = {
    window: limits.window,
    used: pass.tokens,
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

function estimate(state: State, { deps }: Iteration): number {
  const { messages, measured } = state.view;
  const since = messages.slice(measured?.length ?? 0);
  return (measured?.tokens ?? 0) + deps.context.estimate(since);
}

async function* runStep(
  step: ContextStep,
  pass: Pass,
  iteration: Iteration,
): AsyncGenerator<LoopMessage, { readonly outcome: StepOutcome; readonly held: readonly LoopMessage[] }> {
  const { clock } = iteration.deps;
  const startMs = clock.monotonicMs();
  const { view } = pass.state;
  const ran = yield* announcing(
    step.run({
      ...recoveryInput(pass.state, iteration),
      fresh: view.messages.slice(view.freshFrom),
      estimateTokens: pass.tokens,
      snipTokensFreed: pass.snipTokensFreed,
      compactedInThisPass: pass.compacted,
      effectKey: iteration.id(`step/${step.name}`),
    }),
    iteration,
  );
  const { outcome } = ran;
  iteration.trace.prepare.push({
    step: step.name,
    ran: outcome.kind !== 'skip',
    why: outcome.kind === 'stop' ? outcome.message : outcome.why,
    tokensBefore: pass.tokens,
    tokensAfter: outcome.kind === 'edits' ? pass.tokens - outcome.tokensFreed : pass.tokens,
    ms: clock.monotonicMs() - startMs,
  });
  return ran;
}

async function apply(
  outcome: Exclude<StepOutcome, { kind: 'stop' }>,
  pass: Pass,
  iteration: Iteration,
  step: string,
): Promise<void> {
  if (outcome.kind === 'skip') return;
  const { state } = pass;
  if (outcome.kind === 'request') {
    iteration.contextManagement = outcome.contextManagement;
    return;
  }
  if (outcome.kind === 'note') {
    pass.state = { ...state, compaction: outcome.compaction };
    return;
  }
  const { submission } = iteration.params;
  await iteration.record({
    type: outcome.source,
    id: iteration.id(`edit/${step}`),
    submission,
    edits: outcome.edits,
    why: outcome.why,
  });
  const messages = editList(state.view.messages, outcome.edits);
  const before = pass.tokens;
  pass.tokens = Math.max(0, before - outcome.tokensFreed);
  pass.snipTokensFreed += outcome.snipTokensFreed ?? 0;
  const compacted = outcome.compaction !== undefined;
  pass.compacted ||= compacted;
  const { taskRemaining } = state.budgets;
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
      taskRemaining:
        compacted && taskRemaining !== undefined ? Math.max(0, taskRemaining - before) : taskRemaining,
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
