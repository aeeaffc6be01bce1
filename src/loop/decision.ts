import type { LoopMessage } from '../protocol/messages.ts';
import type { Terminal } from '../protocol/terminal.ts';
import type { Facts } from './facts.ts';
import type { Iteration } from './iteration.ts';
import type { State } from './state.ts';

export type Decision =
  | { readonly kind: 'continue'; readonly next: State }
  | { readonly kind: 'stop'; readonly terminal: Terminal };

export type Pass = { readonly kind: 'pass' };
export type Verdict = Pass | Decision;

/**
 * One reason to stop or to go on. `run` may show messages (`iteration.say`) and try a recovery; it never makes
 * tool results. The order of the rules is their priority (`rules/index.ts`).
 */
export interface Rule {
  readonly name: string;
  /** When it has a say. A pure look at what happened: on nearly every turn most rules have none. */
  applies(facts: Facts, state: State, iteration: Iteration): boolean;
  /** What it then does; it may still pass. */
  run(facts: Facts, state: State, iteration: Iteration): AsyncGenerator<LoopMessage, Verdict>;
}

export const PASS: Pass = Object.freeze({ kind: 'pass' });

export const goOn = (next: State): Decision => ({ kind: 'continue', next });

export const stop = (
  state: State,
  reason: Terminal['reason'],
  more: Omit<Terminal, 'reason' | 'turnCount'> & { readonly turnCount?: number } = {},
): Decision => ({ kind: 'stop', terminal: { reason, turnCount: state.turnCount, ...more } });
