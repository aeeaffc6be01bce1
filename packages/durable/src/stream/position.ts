/**
 * The order of a followed stream. Record `s` of the journal is at position (s, 0), its messages at (s, 0),
 * (s, 1) …; a message that the journal does not hold is behind the record that was the last one then, at
 * (s, epoch × 2^20 + 1), + 2 …, so behind all that an earlier owner of the session wrote there.
 */

import { shownId } from '@turnwright/base/text/cut-text.ts';
import {
  createJournalMapper,
  type JournalMapper,
  type SDKMessage,
  TurnwrightError,
} from '@turnwright/engine';
import type { Place } from '@turnwright/engine/protocol/ports.ts';

export const START: Place = { seq: 0, n: 0 };

const EPOCH = 2 ** 20;
/** Messages behind one record, for each owner of the session. */
export const MAX_BEHIND = EPOCH - 1;

/** `count`: 1 for the first message behind a record. */
export const behind = (epoch: number, count: number): number => epoch * EPOCH + count;

/** The owner of the session that wrote it; 0: it is of the journal. */
export const epochOf = ({ n }: Place): number => Math.floor(n / EPOCH);

export const isAfter = (a: Place, b: Place): boolean => a.seq > b.seq || (a.seq === b.seq && a.n > b.n);

export const formatCursor = ({ seq, n }: Place): string => `${seq}.${n}`;

/** Throws `invalid_option` for what is not a cursor. */
export function parseCursor(cursor: string): Place {
  const [, seq, n] = /^(\d{1,10})\.(\d{1,16})$/.exec(cursor) ?? [];
  if (seq === undefined || n === undefined)
    throw new TurnwrightError(
      'invalid_option',
      `"${shownId(cursor)}" is not a cursor: pass one that came with a message, such as "12.0".`,
    );
  return { seq: Number(seq), n: Number(n) };
}

/** Makes what followers receive of the journal: prompts too, as others may have sent them. */
export const openFollowedJournal = (): Promise<JournalMapper> =>
  createJournalMapper({ replayUserMessages: true });

/** Of no use once what it is about has ended: not kept. */
export function isEphemeral(message: SDKMessage): boolean {
  if (message.type === 'stream_event' || message.type === 'tool_progress') return true;
  if (message.type !== 'system') return false;
  const { subtype } = message;
  return (
    subtype === 'thinking_tokens' ||
    subtype === 'hook_progress' ||
    (subtype === 'status' && message.status === 'requesting')
  );
}
