/** Records that change messages which are in the view already: retractions and edits. */

import { requireList } from '@turnwright/base/json-values.ts';
import type { ViewMessage } from '../protocol/model/messages.ts';
import type { EditSource } from '../protocol/model/view.ts';
import type { JournalBody } from '../protocol/session/journal.ts';

export type ViewChange = Extract<JournalBody, { readonly type: 'retract' | EditSource }>;

export function changesView<R extends JournalBody>(record: R): record is R & ViewChange {
  switch (record.type) {
    case 'retract':
    case 'replacement':
    case 'snip':
    case 'collapse':
    case 'boundary':
      return true;
    default:
      return false;
  }
}

/** Whether the record replaces the whole view: a compaction. */
export const isCompaction = ({ type }: ViewChange): boolean => type === 'boundary';

/** What a compaction puts before the messages that it keeps: the summary, and what is restored with it. */
export function headOfCompaction(record: JournalBody): readonly ViewMessage[] {
  if (record.type !== 'boundary') return [];
  return record.edits.flatMap((edit) => (edit.kind === 'reset' ? edit.head : []));
}

/**
 * Uuids of the messages that the record retracts: none, unless it is a retraction. Throws TypeError when it
 * is malformed.
 */
export function retractedBy(record: JournalBody): readonly string[] {
  return record.type === 'retract' ? requireList(record.uuids) : [];
}

/** Uuids of the messages that these records retract. */
export function retractedIn(records: Iterable<JournalBody>): ReadonlySet<string> {
  const uuids = new Set<string>();
  for (const record of records) for (const uuid of retractedBy(record)) uuids.add(uuid);
  return uuids;
}

/** Uuids of the messages that an edit puts into the view; undefined: the record is no edit. */
export function madeBy(record: JournalBody): readonly string[] | undefined {
  if (!changesView(record) || record.type === 'retract') return undefined;
  return record.edits.flatMap((edit) => {
    switch (edit.kind) {
      case 'replace':
        return [edit.item.uuid];
      case 'splice':
        return edit.items.map(({ uuid }) => uuid);
      case 'reset':
        return [...edit.head, ...edit.tail].map(({ uuid }) => uuid);
      default:
        return [];
    }
  });
}

/** Uuids of earlier messages that a compaction keeps; undefined: the record does not replace the view. */
export function keptByReset(record: JournalBody): readonly string[] | undefined {
  if (record.type !== 'boundary') return undefined;
  return record.edits.flatMap((edit) => (edit.kind === 'reset' ? [edit.keep] : []))[0];
}
