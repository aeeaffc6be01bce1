/** Types of fault plans. The effects are in the files beside this one. */
export const FAULT_NAMES = [
  // before or instead of an answer
  'http-status',
  'html-error-page',
  'wrong-content-type',
  'empty-body',
  'reset-before-headers',
  'stall-before-headers',
  // the connection
  'reset-after-bytes',
  'reset-after-events',
  'reset-after-stop',
  'cut',
  'stall',
  'slow-drip',
  // the bytes
  'crlf',
  'split-utf8',
  // the events
  'sse-error',
  'truncated-json',
  'invalid-json',
  'out-of-order',
  'duplicate-event',
  'unknown-event',
  'unknown-block',
  'huge-delta',
  'delta-without-usage',
  // what the model says
  'max-tokens-in-tool-json',
  'empty-response',
  'refusal',
  'pause-turn',
  'model-context-window-exceeded',
] as const;

/** Names of faults; docs/rehearsal.md describes them. */
export type FaultName = (typeof FAULT_NAMES)[number];

/** A fault by name. Each uses only the fields that its description names. */
export interface Fault {
  readonly name: FaultName;
  /**
   * Affects the first `times` deliveries, after which the reply is delivered intact. Absent: the faulty
   * delivery uses the reply up.
   */
  readonly times?: number;
  /**
   * Intact events before the fault, `message_start` being the first; bytes for `reset-after-bytes`. Default:
   * half.
   */
  readonly after?: number;
  /** HTTP status of `http-status` (default 529) and `html-error-page` (default 502). */
  readonly status?: number;
  /** `retry-after`, sent unchanged: seconds, a date, or nonsense. */
  readonly retryAfter?: string;
  /** `x-should-retry`. */
  readonly shouldRetry?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Error type and message of `http-status` and `sse-error`. */
  readonly type?: string;
  readonly message?: string;
  /** `stall`: interval of `ping` events in ms. Absent: silence. */
  readonly pingMs?: number;
  /**
   * `slow-drip`: bytes per piece (default 16) and ms between pieces (default 1). `huge-delta`: characters
   * (default 1 M).
   */
  readonly size?: number;
  readonly everyMs?: number;
  /** `wrong-content-type`: the content type that is sent. Default `text/plain`. */
  readonly contentType?: string;
}

export function listFaults({
  faults = [],
}: {
  readonly faults?: readonly (Fault | FaultName)[];
}): readonly Fault[] {
  return faults.map((fault) => (typeof fault === 'string' ? { name: fault } : fault));
}
