import type { FoldProblems } from '../../view/fold.ts';

/** What a resumed session's records had wrong with them. Nothing here stops a resume; all of it can be told (F70, F73). */
export interface ResumeProblems extends FoldProblems {
  /** Records of a later format, kept in the file and ignored. */
  newer: number;
  /** The same record twice; the first counts. */
  duplicates: number;
  /** Messages or edits without the shape of one. */
  malformed: number;
  /** A transcript whose parents are missing or go in a circle: read in file order. */
  brokenParents: number;
}

export const noProblems = (): ResumeProblems => ({
  newer: 0,
  duplicates: 0,
  malformed: 0,
  brokenParents: 0,
  orphanResults: 0,
  missingResults: 0,
});
