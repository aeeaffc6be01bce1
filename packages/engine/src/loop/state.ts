/**
 * What varies between iterations: plain, serialisable data, grouped by owner. Each group has a named fresh
 * value.
 */

import type { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { CompactionState } from '../protocol/model/context.ts';
import type { FallbackTrigger } from '../protocol/model/fallback.ts';
import type { ViewMessage } from '../protocol/model/messages.ts';
import type { EffortLevel } from '../protocol/model/wire.ts';
import type { CarriedState } from '../protocol/session/decision-record.ts';
import type { Transition } from '../protocol/session/transition.ts';

export interface ViewState {
  readonly messages: PersistentList<ViewMessage>;
  /** Entries from here on were appended since the steps last ran. */
  readonly freshFrom: number;
  /**
   * What the provider reported for the first `length` entries; absent until a response has reported it, and
   * after a compaction.
   */
  readonly measured: { readonly tokens: number; readonly length: number } | undefined;
}

interface RecoveryState {
  /** Resume messages sent after the output cap, at most three. */
  readonly outputTokenCount: number;
  /** How often the answer was continued that the provider had paused. */
  readonly pauses: number;
  readonly capOverride: number | undefined;
  readonly escalated: boolean;
  readonly hasAttemptedReactiveCompact: boolean;
  readonly trimmed: boolean;
  readonly mediaReduced: boolean;
  readonly unusableCount: number;
}

interface HooksState {
  readonly stopHookActive: boolean;
  /** How often a Stop hook has blocked in this submission. */
  readonly blocks: number;
}

interface VerifyState {
  /** How often failed completion conditions have sent the model back in this submission. */
  readonly sentBack: number;
}

export interface BudgetState {
  readonly taskRemaining: number | undefined;
  /** Output tokens of this submission, and what the last continuations added. */
  readonly outputTokens: number;
  readonly continuations: number;
  readonly smallGains: number;
  readonly outputTokensAtContinuation: number;
}

export interface ModelState {
  readonly current: string;
  /** Fallbacks not yet tried. */
  readonly fallbacks: readonly string[];
  /** Why other models took over so far, in order. */
  readonly hops?: readonly FallbackTrigger[];
  readonly effort: EffortLevel | undefined;
}

export interface State {
  readonly iteration: number;
  readonly turnCount: number;
  readonly transition: Transition | undefined;
  readonly view: ViewState;
  readonly recovery: RecoveryState;
  readonly hooks: HooksState;
  readonly verify: VerifyState;
  readonly compaction: CompactionState;
  readonly budgets: BudgetState;
  readonly model: ModelState;
  /** Key of a tool-use summary being made. */
  readonly pendingSummary: string | undefined;
}

export const FRESH_RECOVERY: RecoveryState = Object.freeze({
  outputTokenCount: 0,
  pauses: 0,
  capOverride: undefined,
  escalated: false,
  hasAttemptedReactiveCompact: false,
  trimmed: false,
  mediaReduced: false,
  unusableCount: 0,
});

export const FRESH_HOOKS: HooksState = Object.freeze({
  stopHookActive: false,
  blocks: 0,
});

export const FRESH_VERIFY: VerifyState = Object.freeze({ sentBack: 0 });

export const FRESH_COMPACTION: CompactionState = Object.freeze({
  rapidRefills: 0,
  consecutiveFailures: 0,
  switchedOff: false,
  warned: false,
});

export const FRESH_BUDGETS: BudgetState = Object.freeze({
  taskRemaining: undefined,
  outputTokens: 0,
  continuations: 0,
  smallGains: 0,
  outputTokensAtContinuation: 0,
});

/** The part of the state that another process needs to continue; undefined: there is none. */
export function carriedState({
  recovery,
  hooks,
  verify,
  compaction,
  budgets,
}: State): CarriedState | undefined {
  const news = {
    recovery: differs(recovery, FRESH_RECOVERY),
    hooks: differs(hooks, FRESH_HOOKS),
    verify: differs(verify, FRESH_VERIFY),
    compaction: differs(compaction, FRESH_COMPACTION),
    continued: budgets.continuations > 0,
  };
  if (!Object.values(news).includes(true)) return undefined;
  const { taskRemaining: _, ...continued } = budgets;
  return {
    ...(news.recovery && { recovery }),
    ...(news.hooks && { hooks }),
    ...(news.verify && { verify }),
    ...(news.compaction && { compaction }),
    ...(news.continued && { continued }),
  };
}

function differs<T extends object>(group: T, fresh: T): boolean {
  if (group === fresh) return false;
  for (const name in group) if (group[name] !== fresh[name]) return true;
  return false;
}
