import type { Mark } from '../reply/answer.ts';

/** Events on the wire, in order. Times are monotonic ms of the clock. */
export type TimelineEvent = {
  readonly atMs: number;
  /** Number of the request at this server, from 1. */
  readonly request: number;
} & TimelineFact;

export type TimelineFact =
  | { readonly kind: 'request_arrived'; readonly method: string; readonly path: string }
  | { readonly kind: 'headers_sent'; readonly status: number }
  | { readonly kind: 'first_byte' }
  /** The start or end of a block was written to the socket; or a fault took effect. */
  | Mark
  | { readonly kind: 'last_byte' }
  /** The client disconnected before its answer was complete. */
  | { readonly kind: 'socket_closed' };
