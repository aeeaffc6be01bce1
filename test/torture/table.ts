/**
 * The scorecard: what is measured, in which file, and how long it may take. Targets are in the files of the rows, beside
 * the figures; docs/reliability.md explains each row.
 */
export interface ScoreRow {
  readonly id: string;
  readonly title: string;
  /** Below this folder, without `.ts`. */
  readonly file: string;
  /** Seconds on two processors. A row that takes twice as long is stopped, and is missed. */
  readonly budget: { readonly quick: number; readonly full: number };
  /** Measures time or memory: no other row runs beside it. */
  readonly alone?: true;
}

export const ROWS: readonly ScoreRow[] = [
  {
    id: 'R8',
    title: 'Simulated sessions: everything from one seed',
    file: 'reliability/simulated-sessions',
    budget: { quick: 20, full: 900 },
  },
  {
    id: 'R14',
    title: 'Transcripts of every version open',
    file: 'reliability/history-versions',
    budget: { quick: 10, full: 60 },
  },
];
