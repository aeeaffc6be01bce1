/** What other rules would have made of recorded calls. */
import type { GateReasonType, PermissionBehavior, PermissionMode } from '../tools/permission.ts';

/** What is tried: added to the policy that was in force, or in its place. */
export interface PolicyChange {
  /** Rules as people write them. Default none. */
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  /** Rules that are left out, as they are written. Default none. */
  readonly without?: readonly string[] | undefined;
  /** Default that of the record. */
  readonly mode?: PermissionMode | undefined;
  /** Absolute paths of further working directories. Default none. */
  readonly directories?: readonly string[] | undefined;
  /** `auto-allow`: isolated commands need no question. Default that of the record. */
  readonly sandbox?: 'on' | 'off' | 'auto-allow' | undefined;
  /** Rules, mode, directories and locks of the record do not count, those of managed settings excepted. */
  readonly instead?: boolean | undefined;
}

/** What rules, mode and hooks say about a call. A question is one, no matter who answered it. */
export interface TriedVerdict {
  readonly verdict: 'allow' | 'ask' | 'deny';
  /** What decided: a rule, the mode, a hook, … */
  readonly source: GateReasonType;
  /** The rule that decided, as it is written, and where it is from. */
  readonly rule?: string;
  readonly ruleSource?: string;
}

/** Who let a call run, or kept it from running. `unknown`: the record does not say. */
export type RecordedAnswer = 'approved' | 'refused' | 'nobody' | 'not-asked' | 'unknown';

/** A recorded call of which the change makes something else. */
export interface ChangedCall {
  readonly sessionId: string;
  /** Absent: the main agent's. */
  readonly agentId?: string;
  readonly toolUseId: string;
  readonly tool: string;
  /** The command, path, address or name that it is about; its input where there is none. */
  readonly subject: string;
  readonly before: TriedVerdict;
  readonly after: TriedVerdict;
  readonly answer: RecordedAnswer;
}

/** What one rule does to the calls. */
export interface TriedRule {
  readonly rule: string;
  readonly behavior: PermissionBehavior;
  /** Where it is from: `trial` if the change brings it. */
  readonly source: string;
  /** Calls that it decides, alone or with others. */
  readonly decided: number;
  /** Questions that are no longer asked, and those that it asks anew. */
  readonly saved: number;
  readonly made: number;
  /** Calls that it denies and that were not denied before. */
  readonly denied: number;
  /** Subjects of three of them, those that change first. */
  readonly examples: readonly string[];
}

/** One offer of the permission dialog: a rule, a folder, or the mode. */
export type SmallestOffer =
  | { readonly kind: 'rule'; readonly rule: string; readonly calls: number }
  | { readonly kind: 'directory'; readonly directory: string; readonly calls: number }
  | { readonly kind: 'mode'; readonly mode: PermissionMode; readonly calls: number };

/** The fewest offers that would have allowed what was approved, and nothing that was refused. */
export interface SmallestSet {
  readonly offers: readonly SmallestOffer[];
  /** Questions that a person approved, and how many of them the offers answer. */
  readonly approved: number;
  readonly allowed: number;
  /** Approved calls that no offer allows, and those that none allows without allowing a refused one. */
  readonly beyondRules: number;
  readonly likeRefused: number;
  /** Refused calls that were held against the offers. */
  readonly refused: number;
  /** No smaller set does. Otherwise `atLeast` says how many any set needs. */
  readonly isSmallest: boolean;
  readonly atLeast: number;
}

export interface VerdictCounts {
  readonly allow: number;
  readonly ask: number;
  readonly deny: number;
}

/** The report of `tryPolicy()`. */
export interface PolicyTrial {
  readonly sessions: number;
  readonly calls: number;
  readonly unchanged: number;
  readonly newlyAllowed: number;
  readonly newlyAsked: number;
  readonly newlyDenied: number;
  readonly before: VerdictCounts;
  readonly after: VerdictCounts;
  /** In the order of the record. */
  readonly changed: readonly ChangedCall[];
  /** Those that decide something, the most effective first; then see `decidedNothing`. */
  readonly rules: readonly TriedRule[];
  readonly decidedNothing: readonly Pick<TriedRule, 'rule' | 'behavior' | 'source'>[];
  /** Absent: it was not asked for. */
  readonly smallest?: SmallestSet;
  /** What the figures rest on, one sentence each. */
  readonly notes: readonly string[];
}
