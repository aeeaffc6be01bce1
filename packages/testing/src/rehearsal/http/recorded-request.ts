import type { Usage } from '@turnwright/engine/protocol/model/wire.ts';
import type { RequestKind } from '../scenario/rehearsal-request.ts';

/** Outcome of a request. */
export type Verdict =
  | { readonly kind: 'pending' }
  /** Passed the judge and got a reply, with or without faults. */
  | {
      readonly kind: 'answered';
      /** Names the scripted reply. */
      readonly reply: string;
      /** Planned or random faults; the timeline holds those that took effect. */
      readonly faults: readonly string[];
      readonly usage: Usage;
    }
  | {
      readonly kind: 'rejected';
      readonly rule: string;
      /** The rule is this server's, not the real API's. */
      readonly house: boolean;
      readonly status: number;
      readonly message: string;
    }
  /** Passed the judge, but the scenario has no reply for it. */
  | { readonly kind: 'unanswered'; readonly message: string }
  /** Another endpoint: token counts, model lists, probes. */
  | { readonly kind: 'served' };

/** A request that the server received, with the judge's verdict. */
export interface RecordedRequest {
  /** Number at this server, from 1. */
  readonly number: number;
  readonly method: string;
  /** Without its query string. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed body; undefined if there was none, or it was not JSON. */
  readonly body: unknown;
  readonly bytes: number;
  /** Arrival: wall time in ms since 1970, and monotonic ms of the clock. */
  readonly arrivedMs: number;
  readonly arrivedMonotonicMs: number;
  readonly session: string;
  readonly kind: RequestKind | undefined;
  readonly verdict: Verdict;
}
