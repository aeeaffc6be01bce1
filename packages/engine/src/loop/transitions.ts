/**
 * The nine transitions to another iteration. Each writes the whole next state, group by group, so that a new
 * field does not compile until every transition has an answer, and nothing leaks from an earlier path.
 */

import type { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { CompactionState } from '../protocol/model/context.ts';
import type { ViewMessage } from '../protocol/model/messages.ts';
import { type BudgetState, FRESH_RECOVERY, type State, type ViewState } from './state.ts';

/** What the response leaves behind for the next iteration. */
export interface Outcome {
  /** Appended to the view, in the model's order. */
  readonly append: readonly ViewMessage[];
  /** Provider's figure for the view including the response's own blocks. */
  readonly measured?: { readonly tokens: number; readonly length: number };
  readonly outputTokens: number;
}

export function nextTurn(
  state: State,
  outcome: Outcome & { readonly pendingSummary?: string; readonly oneRequestAtCap?: number },
): State {
  return {
    iteration: state.iteration + 1,
    turnCount: state.turnCount + 1,
    transition: { reason: 'next_turn' },
    view: appended(state, outcome),
    recovery: {
      outputTokenCount: 0,
      pauses: 0,
      capOverride: outcome.oneRequestAtCap,
      escalated: outcome.oneRequestAtCap !== undefined,
      hasAttemptedReactiveCompact: false,
      trimmed: false,
      mediaReduced: false,
      unusableCount: 0,
    },
    hooks: state.hooks,
    verify: state.verify,
    compaction: turnPassed(state.compaction),
    budgets: spent(state.budgets, outcome.outputTokens),
    model: state.model,
    pendingSummary: outcome.pendingSummary ?? state.pendingSummary,
  };
}

export function collapseDrainRetry(state: State, view: PersistentList<ViewMessage>): State {
  return {
    iteration: state.iteration + 1,
    turnCount: state.turnCount,
    transition: { reason: 'collapse_drain_retry' },
    view: edited(view),
    recovery: state.recovery,
    hooks: state.hooks,
    verify: state.verify,
    compaction: state.compaction,
    budgets: state.budgets,
    model: state.model,
    pendingSummary: state.pendingSummary,
  };
}

export function reactiveCompactRetry(
  state: State,
  view: PersistentList<ViewMessage>,
  how: {
    readonly trimmed?: boolean;
    readonly mediaReduced?: boolean;
    readonly taskRemaining: number | undefined;
  },
): State {
  return {
    iteration: state.iteration + 1,
    turnCount: state.turnCount,
    transition: { reason: 'reactive_compact_retry' },
    view: edited(view),
    recovery: {
      outputTokenCount: state.recovery.outputTokenCount,
      pauses: state.recovery.pauses,
      capOverride: state.recovery.capOverride,
      escalated: state.recovery.escalated,
      hasAttemptedReactiveCompact: true,
      trimmed: state.recovery.trimmed || how.trimmed === true,
      mediaReduced: state.recovery.mediaReduced || how.mediaReduced === true,
      unusableCount: state.recovery.unusableCount,
    },
    hooks: state.hooks,
    verify: state.verify,
    // Off stays off until the next submission (L2.6).
    compaction: {
      rapidRefills: 0,
      consecutiveFailures: 0,
      switchedOff: state.compaction.switchedOff,
      warned: false,
    },
    budgets: {
      taskRemaining: how.taskRemaining,
      outputTokens: state.budgets.outputTokens,
      continuations: state.budgets.continuations,
      smallGains: state.budgets.smallGains,
      outputTokensAtContinuation: state.budgets.outputTokensAtContinuation,
    },
    model: state.model,
    pendingSummary: state.pendingSummary,
  };
}

/**
 * The same request again with a higher cap. The truncated response is superseded, so the view stays as it
 * was.
 */
export function maxOutputTokensEscalate(state: State, cap: number, outputTokens: number): State {
  return {
    iteration: state.iteration + 1,
    turnCount: state.turnCount,
    transition: { reason: 'max_output_tokens_escalate' },
    view: unchanged(state),
    recovery: {
      outputTokenCount: state.recovery.outputTokenCount,
      pauses: state.recovery.pauses,
      capOverride: cap,
      escalated: true,
      hasAttemptedReactiveCompact: state.recovery.hasAttemptedReactiveCompact,
      trimmed: state.recovery.trimmed,
      mediaReduced: state.recovery.mediaReduced,
      unusableCount: state.recovery.unusableCount,
    },
    hooks: state.hooks,
    verify: state.verify,
    compaction: state.compaction,
    budgets: spent(state.budgets, outputTokens),
    model: state.model,
    pendingSummary: state.pendingSummary,
  };
}

/**
 * `paused`: the provider had not finished the answer; it was not cut. `loweredCap`: no larger cap fits beside
 * the context.
 */
export function maxOutputTokensRecovery(
  state: State,
  outcome: Outcome & { readonly paused: boolean; readonly loweredCap?: number | undefined },
): State {
  const { recovery } = state;
  const attempt = (outcome.paused ? recovery.pauses : recovery.outputTokenCount) + 1;
  return {
    iteration: state.iteration + 1,
    turnCount: state.turnCount,
    transition: { reason: 'max_output_tokens_recovery', attempt },
    view: appended(state, outcome),
    recovery: {
      outputTokenCount: outcome.paused ? recovery.outputTokenCount : attempt,
      pauses: outcome.paused ? attempt : recovery.pauses,
      capOverride: outcome.loweredCap ?? recovery.capOverride,
      escalated: recovery.escalated || outcome.loweredCap !== undefined,
      hasAttemptedReactiveCompact: recovery.hasAttemptedReactiveCompact,
      trimmed: recovery.trimmed,
      mediaReduced: recovery.mediaReduced,
      unusableCount: recovery.unusableCount,
    },
    hooks: state.hooks,
    verify: state.verify,
    compaction: state.compaction,
    budgets: spent(state.budgets, outcome.outputTokens),
    model: state.model,
    pendingSummary: state.pendingSummary,
  };
}

/** `byHook: false`: the built-in structured-output check, which counts as no block. */
export function stopHookBlocking(state: State, outcome: Outcome & { readonly byHook: boolean }): State {
  return {
    iteration: state.iteration + 1,
    turnCount: state.turnCount,
    transition: { reason: 'stop_hook_blocking' },
    view: appended(state, outcome),
    recovery: {
      outputTokenCount: FRESH_RECOVERY.outputTokenCount,
      pauses: FRESH_RECOVERY.pauses,
      capOverride: FRESH_RECOVERY.capOverride,
      escalated: FRESH_RECOVERY.escalated,
      hasAttemptedReactiveCompact: state.recovery.hasAttemptedReactiveCompact,
      trimmed: state.recovery.trimmed,
      mediaReduced: state.recovery.mediaReduced,
      unusableCount: state.recovery.unusableCount,
    },
    hooks: outcome.byHook ? { stopHookActive: true, blocks: state.hooks.blocks + 1 } : state.hooks,
    verify: state.verify,
    compaction: state.compaction,
    budgets: spent(state.budgets, outcome.outputTokens),
    model: state.model,
    pendingSummary: state.pendingSummary,
  };
}

export function tokenBudgetContinuation(
  state: State,
  outcome: Outcome & { readonly smallGains: number },
): State {
  const outputTokens = state.budgets.outputTokens + outcome.outputTokens;
  return {
    iteration: state.iteration + 1,
    turnCount: state.turnCount,
    transition: { reason: 'token_budget_continuation', attempt: state.budgets.continuations + 1 },
    view: appended(state, outcome),
    recovery: {
      outputTokenCount: FRESH_RECOVERY.outputTokenCount,
      pauses: FRESH_RECOVERY.pauses,
      capOverride: FRESH_RECOVERY.capOverride,
      escalated: FRESH_RECOVERY.escalated,
      hasAttemptedReactiveCompact: state.recovery.hasAttemptedReactiveCompact,
      trimmed: state.recovery.trimmed,
      mediaReduced: state.recovery.mediaReduced,
      unusableCount: state.recovery.unusableCount,
    },
    hooks: state.hooks,
    verify: state.verify,
    compaction: state.compaction,
    budgets: {
      taskRemaining: state.budgets.taskRemaining,
      outputTokens,
      continuations: state.budgets.continuations + 1,
      smallGains: outcome.smallGains,
      outputTokensAtContinuation: outputTokens,
    },
    model: state.model,
    pendingSummary: state.pendingSummary,
  };
}

/** The answer itself is not sent back; `append` holds the nudge alone. */
export function unusableAnswerRetry(state: State, outcome: Outcome): State {
  const attempt = state.recovery.unusableCount + 1;
  return {
    iteration: state.iteration + 1,
    turnCount: state.turnCount,
    transition: { reason: 'unusable_answer_retry', attempt },
    view: appended(state, outcome),
    recovery: {
      outputTokenCount: state.recovery.outputTokenCount,
      pauses: state.recovery.pauses,
      capOverride: state.recovery.capOverride,
      escalated: state.recovery.escalated,
      hasAttemptedReactiveCompact: state.recovery.hasAttemptedReactiveCompact,
      trimmed: state.recovery.trimmed,
      mediaReduced: state.recovery.mediaReduced,
      unusableCount: attempt,
    },
    hooks: state.hooks,
    verify: state.verify,
    compaction: state.compaction,
    budgets: spent(state.budgets, outcome.outputTokens),
    model: state.model,
    pendingSummary: state.pendingSummary,
  };
}

/** Completion conditions do not hold. Budgets still win: it counts as a turn. */
export function verifyFailed(state: State, outcome: Outcome): State {
  const sentBack = state.verify.sentBack + 1;
  return {
    iteration: state.iteration + 1,
    turnCount: state.turnCount + 1,
    transition: { reason: 'verify_failed', attempt: sentBack },
    view: appended(state, outcome),
    recovery: {
      outputTokenCount: FRESH_RECOVERY.outputTokenCount,
      pauses: FRESH_RECOVERY.pauses,
      capOverride: FRESH_RECOVERY.capOverride,
      escalated: FRESH_RECOVERY.escalated,
      hasAttemptedReactiveCompact: state.recovery.hasAttemptedReactiveCompact,
      trimmed: state.recovery.trimmed,
      mediaReduced: state.recovery.mediaReduced,
      unusableCount: FRESH_RECOVERY.unusableCount,
    },
    hooks: state.hooks,
    verify: { sentBack },
    compaction: turnPassed(state.compaction),
    budgets: spent(state.budgets, outcome.outputTokens),
    model: state.model,
    pendingSummary: state.pendingSummary,
  };
}

function appended(state: State, outcome: Outcome): ViewState {
  const before = state.view.messages;
  return {
    // The view of the session, which shares this list, got them when they were recorded.
    messages: before.append(outcome.append, (one, other) => one.uuid === other.uuid),
    freshFrom: before.length,
    measured: outcome.measured ?? state.view.measured,
  };
}

/** Nothing is fresh after an edit, and what was measured does not hold for the edited view. */
const edited = (view: PersistentList<ViewMessage>): ViewState => ({
  messages: view,
  freshFrom: view.length,
  measured: undefined,
});

const unchanged = (state: State): ViewState => ({
  messages: state.view.messages,
  freshFrom: state.view.messages.length,
  measured: state.view.measured,
});

function spent(budgets: BudgetState, outputTokens: number): BudgetState {
  return {
    taskRemaining: budgets.taskRemaining,
    outputTokens: budgets.outputTokens + outputTokens,
    continuations: budgets.continuations,
    smallGains: budgets.smallGains,
    outputTokensAtContinuation: budgets.outputTokensAtContinuation,
  };
}

const turnPassed = (compaction: CompactionState): CompactionState =>
  compaction.turnsSinceCompact === undefined
    ? compaction
    : {
        turnsSinceCompact: compaction.turnsSinceCompact + 1,
        rapidRefills: compaction.rapidRefills,
        consecutiveFailures: compaction.consecutiveFailures,
        switchedOff: compaction.switchedOff,
        warned: compaction.warned,
      };
