import type { ViewMessage } from './messages.ts';

/**
 * The persistent list of messages that the next request is made of. Appending shares structure: the new view
 * has the same `root` and keeps every message in place, so what was derived from the shorter view (wire
 * bytes, token counts) is valid for the longer one. An edit creates a new root.
 */
export interface View extends Iterable<ViewMessage> {
  readonly length: number;
  readonly root: object;
  at(index: number): ViewMessage | undefined;
  /** A new array of the messages from `start` (default 0). */
  slice(start?: number): ViewMessage[];
}

/** A recorded change of the view (L2). `view/edits.ts` applies it: live in the loop, and again on resume. */
export type ViewEdit =
  /** Replaces the message with this uuid; the new one may keep the uuid. */
  | { readonly kind: 'replace'; readonly uuid: string; readonly item: ViewMessage }
  | { readonly kind: 'remove'; readonly uuids: readonly string[] }
  /** Replaces a contiguous span. */
  | { readonly kind: 'splice'; readonly uuids: readonly string[]; readonly items: readonly ViewMessage[] }
  /**
   * Replaces the whole view (a compaction): the messages before the kept tail, then the tail by uuid, then
   * what follows it.
   */
  | {
      readonly kind: 'reset';
      readonly head: readonly ViewMessage[];
      readonly keep: readonly string[];
      readonly tail: readonly ViewMessage[];
    };

/** What made an edit; also the journal's record type for it. */
export type EditSource = 'replacement' | 'snip' | 'collapse' | 'boundary';
