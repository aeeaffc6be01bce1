/** What a parked submission waits for, outside of any process. */
export interface Parking {
  /** `ask`: at least one question is open. `time`: nothing is waited for but `wakeAt`. */
  readonly on: 'ask' | 'time';
  /** The open questions. */
  readonly askIds: readonly string[];
  /** When the first of the waits for a time is over, in ms since 1970. Absent: there is none. */
  readonly wakeAt?: number;
}
