/** The permission mode `auto`: a model judges what rules leave open, within bounds that it cannot move. */

/**
 * The judge of the permission mode `auto`, and its limits. Without `judge` the mode asks like `default`.
 *
 * @example
 * ```ts
 * const autoMode: AutoMode = { judge: 'haiku', environment: ['Tests may write to the folder tmp.'] };
 * ```
 */
export interface AutoMode {
  /** Model that judges: an id or an alias, whose price is known. */
  readonly judge?: string | undefined;
  /** Sentences for the judge: what it may allow, what it is to hand on, and what surrounds the work. */
  readonly allow?: readonly string[] | undefined;
  readonly soft_deny?: readonly string[] | undefined;
  /** As `soft_deny`. */
  readonly hard_deny?: readonly string[] | undefined;
  readonly environment?: readonly string[] | undefined;
  /** Hosts, with their subdomains, whose pages the judge may let calls read, besides those it knows. */
  readonly hosts?: readonly string[] | undefined;
  /** How long an answer may take, in ms; then a person is asked. Default 15,000. */
  readonly timeoutMs?: number | undefined;
  /** Calls that are judged in a session. Default 500. */
  readonly maxCalls?: number | undefined;
  /** USD that the judge may cost in a session. Default 1. */
  readonly maxUsd?: number | undefined;
  /** Calls that it allows in a row; a person decides about the next one. Default 100. */
  readonly maxAllowed?: number | undefined;
  /** Calls that it hands on in a row; then it is not asked again before the next prompt. Default 10. */
  readonly maxHandedOn?: number | undefined;
  /** After so many allowances that one rule would have saved, the rule is suggested. Default 5. */
  readonly suggestAfter?: number | undefined;
}

export const AUTO_MODE_LIMITS = {
  timeoutMs: 15_000,
  maxCalls: 500,
  maxUsd: 1,
  maxAllowed: 100,
  maxHandedOn: 10,
  suggestAfter: 5,
} as const satisfies AutoMode;

/**
 * Why the judge's word is what it is. `judged`: it answered. `bound`: it may not decide about such a call,
 * and was not asked; `limit`: nor after a limit was reached. `slow`, `away`, `unclear`: it gave no answer in
 * time, none at all, or none that can be read.
 */
type JudgeWhy = 'judged' | 'bound' | 'limit' | 'slow' | 'away' | 'unclear';

/** What became of a call that was for the judge of mode `auto`. */
export interface JudgeVerdict {
  /** `hand_on`: a person is asked, or, where that cannot be, the call is denied. */
  readonly verdict: 'allow' | 'hand_on';
  readonly why: JudgeWhy;
  /** A sentence: of the judge itself where it answered. */
  readonly reason: string;
  /** Model that was asked; absent: none was. */
  readonly model?: string | undefined;
  /** How long its answer took, and what it cost. */
  readonly ms?: number | undefined;
  readonly costUsd?: number | undefined;
}
