/** Copies a session under a new id: the same records, new message ids, no cost. */

import { EMPTY_USAGE } from '../../protocol/model/wire.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { JournalBody, JournalEntry } from '../../protocol/session/journal.ts';
import { type FolderMove, moveFolder } from '../forking/move-folder.ts';
import { encodeRecord, sessionPrefix } from '../journal/envelope.ts';
import { cutBehind } from '../resume/record-order.ts';

interface ForkOrder {
  readonly from: string;
  readonly to: string;
  /** The last message to copy; undefined: all. */
  readonly upToMessageId: string | undefined;
  /** The copy goes on in another folder, whose name it has in place of this one. */
  readonly move?: FolderMove | undefined;
  readonly title: string;
  readonly ids: Ids;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Version of the writing program. */
  readonly version: string;
}

/** The lines of the new transcript. undefined: there is no such message. */
export function forkLines(entries: readonly JournalEntry[], order: ForkOrder): readonly string[] | undefined {
  const { from, to, upToMessageId, move, title, ids, clock, version } = order;
  const end = upToMessageId === undefined ? entries.length : cutBehind(entries, upToMessageId);
  if (end === undefined) return undefined;
  const copied = entries.slice(0, end).filter(belongsToCopy);
  const names = new Map<string, string>([[from, to]]);
  for (const entry of copied)
    if ('uuid' in entry && !names.has(entry.uuid)) names.set(entry.uuid, ids.uuid());
  let seq = 0;
  const lines = copied.map((entry) => {
    const origin = 'uuid' in entry ? { forkedFrom: { sessionId: from, messageUuid: entry.uuid } } : {};
    const record = inFolder({ ...(renamed(withoutBill(entry), names) as JournalEntry), ...origin }, move);
    if (entry.v === 0) return JSON.stringify({ ...withoutPlace(record), sessionId: to });
    seq += 1;
    const prefix = sessionPrefix({ sessionId: to, cwd: record.cwd, version });
    return encodeRecord(record as JournalBody, { seq, epoch: 1 }, prefix, clock.nowMs());
  });
  return [...lines, JSON.stringify({ type: 'custom-title', customTitle: title, sessionId: to })];
}

/** The head of its requests stays the one that was sent, apart from the folder's name. */
function inFolder(record: JournalEntry, move: FolderMove | undefined): JournalEntry {
  if (move === undefined) return record;
  const moved = moveFolder(record, move);
  return moved.type === 'context-snapshot' ? { movedFrom: move.from, ...moved } : moved;
}

/** Lease, cost, file changes and names belong to the old session only. */
function belongsToCopy({ type }: JournalEntry): boolean {
  return (
    type !== 'cost' &&
    type !== 'custom-title' &&
    type !== 'title' &&
    type !== 'inbox' &&
    type !== 'file-change'
  );
}

function withoutBill(entry: JournalEntry): JournalEntry {
  return entry.type === 'response' ? { ...entry, usage: EMPTY_USAGE, costUsd: 0 } : entry;
}

function withoutPlace({
  v: _v,
  seq: _seq,
  epoch: _epoch,
  ...record
}: JournalEntry): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(record).filter(([key, value]) => !(key === 'cwd' && value === '')),
  );
}

/** Contents are copied byte for byte, even where they contain an id. */
const SAID = new Set([
  'message',
  'rendered',
  'attachment',
  'toolUseResult',
  'updatedInput',
  'system',
  'userContext',
]);

function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => renamed(each, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, SAID.has(key) ? each : renamed(each, names)]),
  );
}
