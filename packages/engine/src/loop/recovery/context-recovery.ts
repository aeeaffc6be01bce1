/**
 * What the overflow rules share: trying a fallback strategy, applying its edits, and giving up with one
 * error.
 */

import type { Output } from '@turnwright/base/async/batch-output.ts';
import type { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type {
  ContextWork,
  RecoveryOutcome,
  RequestEstimate,
  StepInput,
} from '../../protocol/model/context.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type {
  CompactMetadata,
  LoopMessage,
  SystemMessage,
  ViewMessage,
} from '../../protocol/model/messages.ts';
import type { TerminalReason } from '../../protocol/session/terminal.ts';
import { applyEdits } from '../../view/edits.ts';
import { type Decision, stop } from '../decision.ts';
import type { Iteration } from '../iteration.ts';
import { errorMessage, toErrorKind } from '../loop-messages.ts';
import type { StageOutput } from '../stage-output.ts';
import type { State } from '../state.ts';

/** The input of a step. */
export function inputOf(
  { view, model, compaction, turnCount }: State,
  estimate: RequestEstimate,
  iteration: Iteration,
  pass: Pick<StepInput, 'fresh' | 'estimateTokens' | 'compactedInThisPass' | 'effectKey'>,
): StepInput {
  const { deps, params } = iteration;
  // Written out: a spread with fields behind it is copied again for each of them.
  return {
    fresh: pass.fresh,
    estimateTokens: pass.estimateTokens,
    compactedInThisPass: pass.compactedInThisPass,
    effectKey: pass.effectKey,
    view: view.messages,
    overheadTokens: estimate.overheadTokens,
    tokenFactor: estimate.factor,
    leastCounted: estimate.leastCounted,
    limits: deps.context.limitsFor(model.current),
    compaction,
    turnCount,
    model: model.current,
    querySource: params.querySource,
    life: iteration.scope,
  };
}

export function recoveryInput({ state, prepared }: StageOutput, iteration: Iteration): StepInput {
  return inputOf(state, prepared.estimate, iteration, {
    fresh: [],
    estimateTokens: prepared.tokens,
    compactedInThisPass: false,
    effectKey: iteration.id('recovery'),
  });
}

/** The outcome of a step or recovery, after the messages that it announced were emitted. */
export interface Announced<R> {
  readonly outcome: R;
  /** Messages of its edit, to be emitted once the edit is recorded. */
  readonly held: readonly LoopMessage[];
  /** The compactions that it announced. */
  readonly boundaries: readonly CompactMetadata[];
}

/**
 * Runs a context step or recovery. What it announces (status, boundary) is recorded and emitted immediately;
 * messages that its edit adds to the view are held back until the edit is recorded, as they are part of that
 * record (L10.8).
 */
export async function announce<R>(
  work: ContextWork<R>,
  output: Output<LoopMessage>,
  record: (message: SystemMessage) => Promise<void> | undefined,
): Promise<Announced<R>> {
  const held: LoopMessage[] = [];
  const boundaries: CompactMetadata[] = [];
  const emit = async (batch: readonly LoopMessage[]) => {
    const emitted: LoopMessage[] = [];
    for (const message of batch) {
      if (message.type === 'user' || message.type === 'attachment') held.push(message);
      else emitted.push(message);
      if (message.type !== 'system') continue;
      await record(message);
      if (message.subtype === 'compact_boundary') boundaries.push(message.compact_metadata);
    }
    if (emitted.length > 0) await output.emit(emitted);
  };
  return { outcome: await work({ emit }), held, boundaries };
}

interface Recovered {
  readonly view: PersistentList<ViewMessage>;
  readonly boundaries: readonly CompactMetadata[];
  readonly named: boolean;
}

/**
 * Tries one fallback strategy. Returns the view after its edits, which are recorded first; undefined when it
 * could do nothing.
 */
export async function tryRecovery(
  work: ContextWork<RecoveryOutcome>,
  state: State,
  iteration: Iteration,
): Promise<Recovered | undefined> {
  const { outcome, held, boundaries } = await announce(work, iteration.output, (message) =>
    iteration.recordMessage(message),
  );
  if (outcome.kind === 'none') return undefined;
  await iteration.record({
    type: outcome.source,
    id: iteration.id(`edit/recovery/${outcome.source}`),
    submission: iteration.params.submission,
    edits: outcome.edits,
    why: 'recovery after an overflow',
  });
  if (held.length > 0) await iteration.output.emit(held);
  return {
    view: applyEdits(state.view.messages, outcome.edits),
    boundaries,
    named: outcome.named === true,
  };
}

export function holdsMedia(state: State): boolean {
  for (const message of state.view.messages) {
    if (message.type === 'assistant') continue;
    const content = message.type === 'attachment' ? message.rendered : message.message.content;
    if (typeof content === 'string') continue;
    for (const block of content) {
      if (block.type === 'image' || block.type === 'document') return true;
      if (
        block.type === 'tool_result' &&
        Array.isArray(block.content) &&
        block.content.some((part) => part.type !== 'text')
      )
        return true;
    }
  }
  return false;
}

/**
 * Emits a withheld failure, once, and stops. Stop hooks do not run; StopFailure hooks do, without being
 * waited for.
 */
export async function giveUp(
  iteration: Iteration,
  state: State,
  failure: ModelFailure,
  how: { readonly text: string; readonly reason: TerminalReason },
): Promise<Decision> {
  const { deps } = iteration;
  await iteration.emit(errorMessage(deps, how.text, toErrorKind(failure), failure));
  void deps.hooks.run({
    event: 'StopFailure',
    error: toErrorKind(failure),
    error_details: failure.message,
    last_assistant_message: how.text,
  });
  return stop(state, how.reason, failure.status === undefined ? {} : { apiErrorStatus: failure.status });
}
