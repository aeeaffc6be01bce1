/** What is written about the runs of an eval, a line each. */
import type { TerminalReason } from '@turnwright/engine';

/**
 * `passed` and `failed` count. `no_money`: the eval's budget ended it, so it says nothing about the
 * variant.
 */
export type EvalOutcome = 'passed' | 'failed' | 'no_money';

export interface CheckOutcome {
  /** `npm test`, `file notes.txt`: what was checked. */
  readonly what: string;
  readonly passed: boolean;
  /** Why it failed: the last words of a command, or a sentence. */
  readonly words?: string;
  /** It was left out, and why: then it counts neither way. */
  readonly skipped?: string;
}

export interface RunTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface RunResult {
  readonly outcome: EvalOutcome;
  /** Why the run ended; `timeout`: after the time of its case; `not_begun`: it could not be begun. */
  readonly reason: TerminalReason | 'timeout' | 'not_begun';
  /** Of the model: answers of the main conversation that carried on or ended it. */
  readonly turns: number;
  readonly costUsd: number;
  readonly judgeUsd: number;
  readonly tokens: RunTokens;
  /** Of the model and its tools, without checks. */
  readonly durationMs: number;
  readonly checks: readonly CheckOutcome[];
  /** Calls that were denied. */
  readonly denials: number;
  /** How often the loop decided what, by the reason: `continue tool_use: 3`. */
  readonly decisions: Readonly<Record<string, number>>;
  /** Sentences of the engine, and what a recording lacked. */
  readonly errors?: readonly string[];
}

interface OfRun {
  readonly case: string;
  readonly variant: string;
  /** Number of the run of this case and variant, from 1. */
  readonly run: number;
  /** Of the content of case and variant: a record of another content counts for nothing but its money. */
  readonly key: string;
}

export interface EndedRun extends OfRun, RunResult {
  readonly kind: 'ended';
  readonly sessionId: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

interface BegunRun extends OfRun {
  readonly kind: 'begun';
  readonly sessionId: string;
  readonly at: string;
}

export type EvalRecord =
  | BegunRun
  | EndedRun
  /** Before an attempt at a model call is sent: what it may cost at most. */
  | { readonly kind: 'reserved'; readonly id: string; readonly sessionId: string; readonly usd: number }
  /** What it was billed with at most. A reservation without it stays counted in full. */
  | { readonly kind: 'settled'; readonly id: string; readonly usd: number };

/** One run of the plan, and its place among the records. */
export type RunPlace = OfRun;

export const placeKey = ({ case: name, variant, run, key }: OfRun): string =>
  JSON.stringify([name, variant, run, key]);
