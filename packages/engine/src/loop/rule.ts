import type { Decision } from './decision.ts';
import type { Facts } from './facts.ts';
import type { Iteration } from './iteration.ts';
import type { StageOutput } from './stage-output.ts';

export type Pass = { readonly kind: 'pass' };
export type RuleOutcome = Pass | Decision;

/**
 * One reason to stop or to continue. `run` may emit messages (`iteration.emit`) and try a recovery; it never
 * makes tool results. The order of the rules is their priority (`rules/index.ts`).
 */
export interface Rule {
  readonly name: string;
  /** The port without which it is not asked, and no record names it. Default: it is always asked. */
  readonly needs?: 'parking' | 'verify';
  /** Whether the rule applies: a pure function of what happened. On nearly every turn most rules do not. */
  applies(facts: Facts, output: StageOutput, iteration: Iteration): boolean;
  /** What the rule does when it applies; it may still pass. */
  run(facts: Facts, output: StageOutput, iteration: Iteration): Promise<RuleOutcome>;
}

export const PASS: Pass = Object.freeze({ kind: 'pass' });
