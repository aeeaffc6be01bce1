/** Finds a text in what a session holds: messages, inputs and results of tools, ids, errors. */
import type { InspectionHit } from '../../protocol/session/inspection.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { messageOfRecord } from '../journal/message-record.ts';
import { IterationKeys, wholeText } from './read-detail.ts';

const MOST_HITS = 200;
/** Around the place. */
const CONTEXT_CHARS = 80;

/** At most 200 hits, in the order of the journal; upper and lower case are the same. */
export async function* searchJournal(
  entries: AsyncIterable<JournalEntry>,
  text: string,
): AsyncGenerator<InspectionHit, void, void> {
  const wanted = text.toLowerCase();
  if (wanted === '') return;
  const keys = new IterationKeys();
  let key = '';
  let hits = 0;
  for await (const entry of entries) {
    const begun = keys.begin(entry);
    if (begun !== undefined) key = begun;
    const found = findIn(entry, wanted);
    if (found === undefined || key === '') continue;
    yield { key, step: key, ...found };
    hits += 1;
    if (hits === MOST_HITS) return;
  }
}

function findIn(entry: JournalEntry, wanted: string): Pick<InspectionHit, 'where' | 'text'> | undefined {
  if ('settled' in entry && entry.settled === true) return undefined;
  const message =
    entry.type === 'user' || entry.type === 'assistant' || entry.type === 'attachment'
      ? messageOfRecord(entry)
      : undefined;
  if (message !== undefined) {
    const text = `${wholeText(message)}\n${message.uuid}`;
    return clip(message.type, text, wanted);
  }
  return entry.type === 'decision' ? clip('decision', JSON.stringify(entry.record), wanted) : undefined;
}

function clip(
  where: string,
  text: string,
  wanted: string,
): Pick<InspectionHit, 'where' | 'text'> | undefined {
  const at = text.toLowerCase().indexOf(wanted);
  if (at < 0) return undefined;
  return { where, text: text.slice(Math.max(0, at - CONTEXT_CHARS), at + wanted.length + CONTEXT_CHARS) };
}
