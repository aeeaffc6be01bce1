/** One thing that Turnwright needs, looked at. */
export type CheckState = 'ok' | 'warning' | 'problem';

export interface CheckResult {
  readonly name: string;
  readonly state: CheckState;
  /** What was found; for anything but `ok`, also what to do. Never a secret. */
  readonly detail: string;
}
