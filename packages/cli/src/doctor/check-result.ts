/** One check of the doctor. */
export type CheckState = 'ok' | 'warning' | 'problem';

export interface CheckResult {
  readonly name: string;
  readonly state: CheckState;
  /** The finding; unless `ok`, also what to do. Never a secret. */
  readonly detail: string;
}
