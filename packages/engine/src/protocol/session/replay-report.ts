/** What a replay of a session says: the same decisions, or the first that differs. */
import type { DecisionRecord } from './decision-record.ts';

/** One fact of an iteration, as it was recorded and as it is now. `undefined`: there is none. */
export interface FactDifference {
  /** Its path in the decision record, or in what was written: `rules[4].verdict`, `answer[0].text`. */
  readonly fact: string;
  /** The rule that the fact belongs to, or that decides now. */
  readonly rule?: string;
  readonly recorded: unknown;
  readonly now: unknown;
}

/** Where a replay first differs from its record. */
export interface ReplayDifference extends FactDifference {
  /** Number of the submission within its journal, from 1. */
  readonly submission: number;
  readonly iteration: number;
  /** Ids of the agents, separated by slashes; `''` for the main agent. */
  readonly agentPath: string;
  /** Further facts of the same iteration that differ. */
  readonly others: readonly FactDifference[];
  /** The whole decision records. Absent: there is none. */
  readonly records: {
    readonly recorded?: DecisionRecord | undefined;
    readonly now?: DecisionRecord | undefined;
  };
}

/** What a replay has found. */
export interface ReplayReport {
  /** Runs of the loop: one for each submission, agent, and process that took one up. */
  readonly runs: number;
  /** Iterations that were compared. */
  readonly iterations: number;
  /** Absent: the decisions are the same. */
  readonly difference?: ReplayDifference;
  /** What the journal does not hold, so that it was derived from the decisions, or not compared. */
  readonly notRecorded: readonly string[];
}
