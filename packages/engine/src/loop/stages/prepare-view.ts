/**
 * Stage 1: the context steps, in the order of `context/steps/index.ts`. With no edits this costs O(fresh).
 */

import { andThen } from '@turnwright/base/async/promises.ts';
import type { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { RequestEstimate, StepInput, StepOutcome } from '../../protocol/model/context.ts';
import type { CompactMetadata, ViewMessage } from '../../protocol/model/messages.ts';
import type { WireTool } from '../../protocol/model/wire.ts';
import { applyEdits, voidThinking } from '../../view/edits.ts';
import { buildTerminal } from '../decision.ts';
import { rounded } from '../decision-trace.ts';
import type { Iteration } from '../iteration.ts';
import { errorMessage } from '../loop-messages.ts';
import { type Announced as Announcement, announce, inputOf } from '../recovery/context-recovery.ts';
import type { LimitReached, Prepared } from '../stage-output.ts';
import type { State } from '../state.ts';
import { afterCompactions } from '../task-budget.ts';
import { stageError } from './stage-error.ts';

/** What stage 1 has come to so far. */
interface Pass {
  state: State;
  tokens: number;
  estimate: RequestEstimate;
  tools: readonly WireTool[];
  readonly editedBy: string[];
  contextManagement: unknown;
  compacted: boolean;
  /** The input of the next step, until one of them changes it. */
  input: StepInput | undefined;
}

export async function prepareView(from: State, iteration: Iteration): Promise<Prepared | LimitReached> {
  const { deps, trace } = iteration;
  const pass = openPass(from);
  try {
    if (from.pendingSummary !== undefined) await settledSummary(pass, iteration);
    pass.state = withSwitchedModel(pass.state, iteration);
    const { view, model } = pass.state;
    const measuring = measure(view.messages, pass.state, iteration);
    const measured = 'then' in measuring ? await measuring : measuring;
    pass.estimate = measured.estimate;
    pass.tools = measured.tools;
    pass.tokens = countTokens(pass.state, measured.estimate, iteration);
    trace.note({ tokens: pass.tokens });
    if (resumesResponse(pass.state, iteration)) return prepared('resumed', pass);
    deps.onStage?.('compact_check');
    let fromMs = deps.clock.monotonicMs();
    for (const step of deps.context.steps) {
      if (iteration.abortReason !== undefined) return prepared('aborted', pass); // rule 1 decides
      const answer = step.run(stepInput(pass, iteration));
      const { outcome, held, boundaries } =
        typeof answer === 'function'
          ? await announce(answer, iteration.output, (message) => iteration.recordMessage(message))
          : ({ outcome: answer } as Announced);
      if (outcome.kind === 'skip') {
        trace.prepare.push({ step: step.name, ran: false, why: outcome.why });
        continue;
      }
      const edited = await editedBy(outcome, pass, iteration);
      trace.prepare.push({
        step: step.name,
        ran: true,
        why: outcome.kind === 'stop' ? outcome.message : (edited ?? outcome).why,
        tokensBefore: pass.tokens,
        ms: rounded(deps.clock.monotonicMs() - fromMs),
        ...(edited === undefined ? {} : { tokensAfter: edited.tokens }),
      });
      fromMs = deps.clock.monotonicMs();
      if (outcome.kind === 'stop') return await limitReached(outcome, pass, iteration);
      if (edited !== undefined) await recordEdits(edited, step.name, pass, iteration);
      apply(outcome, edited, boundaries, pass);
      if (held !== undefined && held.length > 0) await iteration.output.emit(held);
    }
    const { window, autocompactAt, blockingAt } = deps.context.limitsFor(model.current);
    const { tokens, estimate } = pass;
    const context = { window, used: tokens, overhead: estimate.overheadTokens, autocompactAt, blockingAt };
    trace.note({ view: pass.state.view.messages, tokens, context });
    return prepared('ready', pass);
  } catch (error) {
    return { ...prepared('failed', pass), thrown: stageError(error) };
  }
}

/** The outcome of a step; what it announced only where there was work left. */
type Announced = { readonly outcome: StepOutcome } & Partial<Omit<Announcement<StepOutcome>, 'outcome'>>;

const NOTHING_MEASURED: RequestEstimate = Object.freeze({ tokens: 0, overheadTokens: 0, factor: 1 });

const openPass = (state: State): Pass => ({
  state,
  tokens: 0,
  estimate: NOTHING_MEASURED,
  tools: [],
  editedBy: [],
  contextManagement: undefined,
  // What a recovery has just made smaller is sent first: only an answer shows whether more has to go.
  compacted: state.transition?.reason === 'reactive_compact_retry',
  input: undefined,
});

function prepared(kind: Prepared['kind'], pass: Pass): Prepared {
  const { state, tokens, estimate, tools, editedBy, contextManagement } = pass;
  return { kind, state, tokens, estimate, tools, editedBy, contextManagement };
}

async function limitReached(
  { reason, message }: Extract<StepOutcome, { kind: 'stop' }>,
  { state }: Pass,
  iteration: Iteration,
): Promise<LimitReached> {
  await iteration.emit(errorMessage(iteration.deps, message, 'invalid_request'));
  const limit: LimitReached = { kind: 'stop', terminal: buildTerminal(state, reason) };
  iteration.trace.decided(limit);
  return limit;
}

async function recordEdits(
  { source, edits, why }: Edited,
  step: string,
  pass: Pass,
  iteration: Iteration,
): Promise<void> {
  pass.editedBy.push(step);
  const { submission } = iteration.params;
  await iteration.record({ type: source, id: iteration.id(`edit/${step}`), submission, edits, why });
}

/** The first iteration of a run that resumes an interrupted one has its response already. */
const resumesResponse = (state: State, { params }: Iteration): boolean =>
  params.startAt?.response !== undefined &&
  state.iteration === params.startAt.iteration &&
  state.transition === undefined;

/** A command or skill may ask for another model or effort for the rest of the submission (L3). */
function withSwitchedModel(state: State, { deps }: Iteration): State {
  const wanted = deps.takeSwitch?.();
  if (wanted === undefined) return state;
  const { current, effort } = state.model;
  return {
    ...state,
    model: { ...state.model, current: wanted.model ?? current, effort: wanted.effort ?? effort },
  };
}

/** The provider's count where there is one, and an estimate of what follows it: O(fresh). */
function countTokens({ view, model }: State, estimate: RequestEstimate, { deps }: Iteration): number {
  const { messages, measured } = view;
  if (measured === undefined) return estimate.tokens;
  return measured.tokens + deps.context.estimate(messages.slice(measured.length), model.current);
}

interface Measured {
  readonly estimate: RequestEstimate;
  readonly tools: readonly WireTool[];
}

/** The whole request by estimate, including the parts that are no message. */
function measure(
  view: PersistentList<ViewMessage>,
  state: State,
  { params, deps }: Iteration,
): Measured | Promise<Measured> {
  const { context } = deps;
  const model = state.model.current;
  const { system, userContext } = params;
  return andThen(deps.tools.wireTools(model), (tools) => ({
    tools,
    estimate: context.measure?.({ model, view, system, userContext, tools }) ?? {
      tokens: context.estimate(view.slice(), model),
      overheadTokens: 0,
      factor: 1,
    },
  }));
}

type Edits = Extract<StepOutcome, { kind: 'edits' }>;

interface Edited extends Edits {
  readonly messages: PersistentList<ViewMessage>;
  readonly tokens: number;
}

/**
 * A compaction leaves little of what was measured, so its view is estimated afresh; what else is freed is
 * subtracted (F29).
 */
async function editedBy(outcome: StepOutcome, pass: Pass, iteration: Iteration): Promise<Edited | undefined> {
  if (outcome.kind !== 'edits') return undefined;
  const before = pass.state.view.messages;
  const messages = applyEdits(before, outcome.edits);
  const voided = voidThinking(messages) - voidThinking(before);
  const why = voided > 0 ? `${outcome.why}; thinking behind the change is void (${voided})` : outcome.why;
  const freed = Math.round(outcome.tokensFreed * pass.estimate.factor);
  if (outcome.compaction === undefined || iteration.deps.context.measure === undefined)
    return { ...outcome, why, messages, tokens: Math.max(0, pass.tokens - freed) };
  const { estimate, tools } = await measure(messages, pass.state, iteration);
  pass.tools = tools;
  return { ...outcome, why, messages, tokens: estimate.tokens };
}

function stepInput(pass: Pass, iteration: Iteration): StepInput {
  const { view } = pass.state;
  pass.input ??= inputOf(pass.state, pass.estimate, iteration, {
    fresh: view.messages.slice(view.freshFrom),
    estimateTokens: pass.tokens,
    compactedInThisPass: pass.compacted,
    effectKey: iteration.id('step'),
  });
  return pass.input;
}

function apply(
  outcome: StepOutcome,
  edited: Edited | undefined,
  boundaries: readonly CompactMetadata[] | undefined,
  pass: Pass,
): void {
  const { state } = pass;
  pass.input = undefined;
  if (outcome.kind === 'request') pass.contextManagement = outcome.contextManagement;
  if (outcome.kind === 'note') pass.state = { ...state, compaction: outcome.compaction };
  if (edited === undefined) return;
  const { messages, tokens, compaction } = edited;
  const compacted = compaction !== undefined;
  pass.tokens = tokens;
  pass.compacted ||= compacted;
  pass.state = {
    ...state,
    view: {
      messages,
      // After a compaction nothing is fresh.
      freshFrom: compacted ? messages.length : Math.min(state.view.freshFrom, messages.length),
      measured: { tokens, length: messages.length },
    },
    compaction: compaction ?? state.compaction,
    budgets: {
      ...state.budgets,
      taskRemaining: afterCompactions(state.budgets.taskRemaining, boundaries ?? []),
    },
  };
}

/** A tool-use summary that was started earlier is emitted once it is available; it is never waited for. */
async function settledSummary(pass: Pass, { deps, output }: Iteration): Promise<void> {
  const { pendingSummary } = pass.state;
  const summary = pendingSummary === undefined ? undefined : deps.toolUseSummary?.take(pendingSummary);
  if (summary === undefined) return;
  await output.emit([summary]);
  pass.state = { ...pass.state, pendingSummary: undefined };
}
