import type { Mark } from '../reply/answer.ts';

/** What happened on the wire, in order. Times are the clock's monotonic ms. */
export type TimelineEvent = {
  readonly atMs: number;
  /** Number of the request at this server, from 1. */
  readonly request: number;
} & TimelineFact;

export type TimelineFact =
  | { readonly kind: 'request_arrived'; readonly method: string; readonly path: string }
  | { readonly kind: 'headers_sent'; readonly status: number }
  | { readonly kind: 'first_byte' }
  /** The block's start or end has been written to the socket; or a fault has struck. */
  | Mark
  | { readonly kind: 'last_byte' }
  /** The client went away before its answer was complete. */
  | { readonly kind: 'socket_closed' };
