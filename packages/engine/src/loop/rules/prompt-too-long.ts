import type { ContextRecovery, ContextWork, RecoveryOutcome } from '../../protocol/model/context.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import { goOn } from '../decision.ts';
import type { Iteration } from '../iteration.ts';
import { giveUp, holdsMedia, recoveryInput, tryRecovery } from '../recovery/context-recovery.ts';
import { PASS, type Rule, type RuleOutcome } from '../rule.ts';
import type { StageOutput } from '../stage-output.ts';
import type { State } from '../state.ts';
import { afterCompactions } from '../task-budget.ts';
import { collapseDrainRetry, reactiveCompactRetry } from '../transitions.ts';

const TEXT = 'Prompt is too long';

/**
 * The request did not fit. Cheapest first: commit staged collapses, then one summary, then the trim that
 * needs no model, then less media; a body of too many bytes loses media first (F12). Each at most as often as
 * L7 allows. The failure is emitted when no strategy is left.
 */
export const promptTooLong: Rule = {
  name: 'prompt_too_long',
  applies: ({ failure }) => failure?.kind === 'prompt_too_long',
  async run(facts, output, iteration) {
    const { state } = output;
    const { failure } = facts;
    if (failure === undefined) return PASS;
    iteration.deps.context.learnFrom?.(failure, state.model.current);
    const recovered = await tryStrategies(failure, output, iteration);
    if (recovered.kind !== 'pass') return recovered;
    const reason = failure.status === 413 && holdsMedia(state) ? 'image_error' : 'prompt_too_long';
    return giveUp(iteration, state, failure, { text: TEXT, reason });
  },
};

async function tryStrategies(
  failure: ModelFailure,
  output: StageOutput,
  iteration: Iteration,
): Promise<RuleOutcome> {
  const { state } = output;
  const { recovery } = iteration.deps.context;
  if (state.transition?.reason !== 'collapse_drain_retry') {
    const drained = await tryRecovery(
      recovery.drainCollapses(recoveryInput(output, iteration)),
      state,
      iteration,
    );
    if (drained !== undefined) return goOn(collapseDrainRetry(state, drained.view));
  }
  for (const { run, how } of strategiesLeft(recovery, failure, state)) {
    const done = await tryRecovery(run(recoveryInput(output, iteration)), state, iteration);
    if (done === undefined) continue;
    const taskRemaining = afterCompactions(state.budgets.taskRemaining, done.boundaries);
    return goOn(reactiveCompactRetry(state, done.view, { ...how, taskRemaining }));
  }
  return PASS;
}

interface Strategy {
  readonly run: (input: Parameters<ContextRecovery['mechanicalTrim']>[0]) => ContextWork<RecoveryOutcome>;
  readonly how: { readonly trimmed?: boolean; readonly mediaReduced?: boolean };
}

/** The strategies that were not tried since the last usable response. */
function strategiesLeft(
  recovery: ContextRecovery,
  failure: ModelFailure,
  { recovery: tried }: State,
): Strategy[] {
  const left: Strategy[] = [];
  const lessMedia: Strategy = {
    run: (input) => recovery.reduceMedia(input, failure),
    how: { mediaReduced: true },
  };
  const tooManyBytes = failure.status === 413;
  if (tooManyBytes && !tried.mediaReduced) left.push(lessMedia);
  if (!tried.hasAttemptedReactiveCompact)
    left.push({ run: (input) => recovery.reactiveCompact(input, failure), how: {} });
  if (!tried.trimmed) left.push({ run: (input) => recovery.mechanicalTrim(input), how: { trimmed: true } });
  if (!tooManyBytes && !tried.mediaReduced) left.push(lessMedia);
  return left;
}
