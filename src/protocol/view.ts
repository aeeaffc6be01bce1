import type { ViewMessage } from './messages.ts';

/**
 * The persistent list of messages that the next request is made of. Append-only by sharing: a view made by
 * appending to this one has the same `root` and keeps every message in place, so whatever was derived from the
 * shorter view (wire bytes, token counts) holds for the longer one. An edit makes a new root.
 */
export interface View extends Iterable<ViewMessage> {
  readonly length: number;
  readonly root: object;
  at(index: number): ViewMessage | undefined;
  /** A fresh array of the messages from `start` (default 0) on. */
  slice(start?: number): ViewMessage[];
}

/** A recorded change of the view (L2). `view/edits.ts` applies it: live in the loop, and again on resume. */
export type ViewEdit =
  /** The message with this uuid is swapped for another; the new one may keep the uuid. */
  | { readonly kind: 'replace'; readonly uuid: string; readonly item: ViewMessage }
  | { readonly kind: 'remove'; readonly uuids: readonly string[] }
  /** A contiguous span is replaced. */
  | { readonly kind: 'splice'; readonly uuids: readonly string[]; readonly items: readonly ViewMessage[] }
  /** The whole view is replaced (a compaction): what stands before the kept tail, then the tail by uuid, then what follows it. */
  | {
      readonly kind: 'reset';
      readonly head: readonly ViewMessage[];
      readonly keep: readonly string[];
      readonly tail: readonly ViewMessage[];
    };

/** Which machinery made an edit; also the journal's record type for it. */
export type EditSource = 'replacement' | 'snip' | 'collapse' | 'boundary';
