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
  /** Measures time or memory, or needs all processors for its own: no other row runs beside it. */
  readonly alone?: true;
  /** Waits most of its time, so that it runs beside rows that keep all processors busy. */
  readonly waits?: true;
}

export const ROWS: readonly ScoreRow[] = [
  {
    id: 'R1a',
    title: 'Crash at every call that changes the disk',
    file: 'reliability/kills',
    budget: { quick: 30, full: 600 },
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
    budget: { quick: 10, full: 240 },
    waits: true,
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
    budget: { quick: 20, full: 1200 },
  },
  {
    id: 'R9',
    title: 'Ended at any point: at once, and without orphans',
    file: 'reliability/abort-points',
    budget: { quick: 15, full: 500 },
    alone: true,
  },
  {
    id: 'R10',
    title: 'One session for thousands of iterations: nothing grows',
    file: 'reliability/soak',
    budget: { quick: 40, full: 1200 },
    waits: true,
  },
  {
    id: 'R11',
    title: 'A thousand sessions at once in one process',
    file: 'reliability/many-sessions',
    budget: { quick: 15, full: 180 },
    alone: true,
  },
  {
    id: 'R12',
    title: 'Floods of output',
    file: 'reliability/output-floods',
    budget: { quick: 30, full: 300 },
    alone: true,
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
    budget: { quick: 20, full: 330 },
  },
  {
    id: 'S1',
    title: 'What real shells run of hostile lines was seen before',
    file: 'security/bash-verdicts',
    budget: { quick: 15, full: 600 },
  },
  {
    id: 'S2',
    title: 'Everyday commands need no question',
    file: 'security/everyday-commands',
    budget: { quick: 5, full: 5 },
  },
  {
    id: 'S3',
    title: 'Published advisories',
    file: 'security/advisories',
    budget: { quick: 15, full: 240 },
  },
  {
    id: 'S4',
    title: 'Paths: what lies outside is neither read nor changed',
    file: 'security/path-guard',
    budget: { quick: 15, full: 400 },
  },
  {
    id: 'S5',
    title: 'Nothing happens before trust',
    file: 'security/before-trust',
    budget: { quick: 40, full: 120 },
  },
  {
    id: 'S6',
    title: 'Attempts to get out of the sandbox',
    file: 'security/escape-probes',
    budget: { quick: 40, full: 180 },
  },
  {
    id: 'S7',
    title: 'A model that obeys injected texts',
    file: 'security/injection',
    budget: { quick: 60, full: 240 },
  },
  {
    id: 'S8',
    title: 'Secrets',
    file: 'security/secrets',
    budget: { quick: 30, full: 90 },
  },
  {
    id: 'S9',
    title: 'A deny rule beats everything',
    file: 'security/precedence',
    budget: { quick: 8, full: 600 },
  },
  {
    id: 'S10',
    title: 'Texts that break analysers',
    file: 'security/analysers',
    budget: { quick: 6, full: 20 },
  },
  {
    id: 'S11',
    title: 'What is installed',
    file: 'security/supply-chain',
    budget: { quick: 3, full: 3 },
  },
];
