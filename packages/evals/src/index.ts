/** Cases run by several variants, several times each: whether they pass, and what that costs. */
export { type AddedCase, addCase } from './add/add-case.ts';
export { readCases } from './case/read-case.ts';
export type { CheckOutcome, EndedRun } from './results/run-record.ts';
export type { CaseScore, Scores, VariantScore } from './results/score.ts';
export { type EvalReport, runEval } from './run/run-eval.ts';
export type { Variant } from './run/run-once.ts';
