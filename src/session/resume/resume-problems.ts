import type { FoldProblems } from '../../view/fold.ts';

/** Problems of a resumed session's records. None stops a resume; all can be reported (F70, F73). */
export interface ResumeProblems extends FoldProblems {
  /** Records of a later format, kept in the file and ignored. */
  newer: number;
  /** Duplicate records; the first counts. */
  duplicates: number;
  /** Messages or edits without the shape of one. */
  malformed: number;
  /** A transcript with missing or cyclic parents: read in file order. */
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
