/**
 * The scorecard: what is measured, in which file, and how long it may take. Targets are in the files of the rows, beside
 * the figures; docs/reliability.md explains each row.
 */
export interface ScoreRow {
  readonly id: string;
  readonly title: string;
  /** Below this folder, without `.ts`. */
  readonly file: string;
  /** Seconds on two processors. A row that takes five times as long is stopped, and is missed. */
  readonly budget: { readonly quick: number; readonly full: number };
  /** Measures time or memory: no other row runs beside it. */
  readonly alone?: true;
}

export const ROWS: readonly ScoreRow[] = [
  {
    id: 'R1a',
    title: 'Crash at every call that changes the disk',
    file: 'reliability/kills',
    budget: { quick: 30, full: 1500 },
  },
  {
    id: 'R1b',
    title: 'Loss of power after every call that changes the disk',
    file: 'reliability/power-loss',
    budget: { quick: 10, full: 300 },
  },
  {
    id: 'R2',
    title: 'Disks that refuse',
    file: 'reliability/disk-faults',
    budget: { quick: 10, full: 180 },
  },
  {
    id: 'R3',
    title: 'The request after a resume',
    file: 'reliability/resume-equivalence',
    budget: { quick: 15, full: 240 },
  },
  {
    id: 'R4',
    title: 'Effects of tools, across kills',
    file: 'reliability/effects',
    budget: { quick: 15, full: 240 },
  },
  {
    id: 'R5',
    title: 'Streams cut off and split at every byte',
    file: 'reliability/cut-streams',
    budget: { quick: 20, full: 400 },
  },
  {
    id: 'R6',
    title: 'Streams that stall',
    file: 'reliability/stalls',
    budget: { quick: 10, full: 120 },
  },
  {
    id: 'R7',
    title: 'Retries, and answers that are none',
    file: 'reliability/retries',
    budget: { quick: 5, full: 30 },
  },
  {
    id: 'R8',
    title: 'Simulated sessions: everything from one seed',
    file: 'reliability/simulated-sessions',
    budget: { quick: 20, full: 900 },
  },
  {
    id: 'R13',
    title: 'Copies in a store of the host',
    file: 'reliability/session-stores',
    budget: { quick: 5, full: 60 },
  },
  {
    id: 'R14',
    title: 'Transcripts of every version open',
    file: 'reliability/history-versions',
    budget: { quick: 10, full: 60 },
  },
  {
    id: 'R15',
    title: 'Changes of the code that tests notice',
    file: 'reliability/mutation-score',
    budget: { quick: 20, full: 900 },
  },
];
