import type { Usage } from '../../protocol/wire.ts';
import type { RequestKind } from '../scenario/rehearsal-request.ts';

/** What became of a request. */
export type Verdict =
  | { readonly kind: 'pending' }
  /** Passed the judge and got a reply, whatever faults struck it. */
  | {
      readonly kind: 'answered';
      /** Names the scripted reply. */
      readonly reply: string;
      /** Those it was meant to meet, written or drawn; the timeline has those that struck. */
      readonly faults: readonly string[];
      readonly usage: Usage;
    }
  | {
      readonly kind: 'rejected';
      readonly rule: string;
      /** The rule is ours, not the real API's. */
      readonly house: boolean;
      readonly status: number;
      readonly message: string;
    }
  /** Passed the judge, and the scenario has no reply for it. */
  | { readonly kind: 'unanswered'; readonly message: string }
  /** Not a message request: counted, listed, probed. */
  | { readonly kind: 'served' };

export interface RecordedRequest {
  /** At this server, from 1. */
  readonly number: number;
  readonly method: string;
  /** Without its query string. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed; undefined when there was none, or it was no JSON. */
  readonly body: unknown;
  readonly bytes: number;
  /** Wall time, ms since 1970, and the clock's monotonic ms. */
  readonly arrivedMs: number;
  readonly arrivedMonotonicMs: number;
  readonly session: string;
  readonly kind: RequestKind | undefined;
  readonly verdict: Verdict;
}
