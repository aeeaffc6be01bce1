/**
 * Which records a long session can do without: those before a compaction, where a resume is the same without
 * them. Nothing is taken for granted: the session is resumed both ways, and compared.
 */

import { isDeepStrictEqual } from 'node:util';
import type { JournalBody, JournalEntry } from '../../protocol/session/journal.ts';
import { toolFacts } from '../../protocol/tools/builtin-tools.ts';
import { keptByReset, madeBy } from '../../view/changes.ts';
import { isErrorFor, resultIds } from '../../view/tool-results.ts';
import { messageOfRecord } from '../journal/message-record.ts';
import { type ResumedSession, resumeSession } from './resume.ts';
import { noticedTasks } from './session-facts.ts';

export interface NeedlessRecords {
  /** `seq` of the compaction: before it, what the session said is not complete any more. */
  readonly before: number;
  /** Of the records, in order. */
  readonly seqs: readonly number[];
  /** Takes the place of `place`, one of them: prompts that are not delivered again. */
  readonly instead: JournalBody;
  readonly place: JournalEntry;
}

/** Of each type only the last record counts. */
const LAST_COUNTS: ReadonlySet<string> = new Set(['context-snapshot', 'cost', 'last-prompt', 'custom-title']);
/** They order the messages of their submission. */
const ORDER: ReadonlySet<string> = new Set(['submission', 'request', 'result', 'retract']);
/** Of a submission that has ended they tell what happened, and set nothing. */
const TOLD: ReadonlySet<string> = new Set([
  ...ORDER,
  ...['response', 'decision', 'queue', 'inbox', 'user', 'assistant', 'attachment'],
  ...['replacement', 'snip', 'collapse', 'boundary'],
  ...['intent', 'unknown', 'ask', 'answer', 'lent', 'denied', 'parked'],
]);

/**
 * `olderThan`: ms since 1970, of the compaction. undefined: there is no such compaction, the session was
 * rewound or comes from another program, or it would be another one without them.
 */
export function needlessRecords(
  entries: readonly JournalEntry[],
  olderThan: number,
): NeedlessRecords | undefined {
  if (entries.some(({ type, v }) => type === 'rewind' || v === 0)) return undefined;
  const at = entries.findLastIndex(
    (entry) => keptByReset(entry) !== undefined && Date.parse(entry.timestamp) < olderThan,
  );
  const boundary = entries[at];
  if (boundary === undefined) return undefined;
  const needed = neededBefore(entries, at);
  const gone = entries.filter((entry, index) => index < at && !needed(entry, index));
  const first = gone.find((entry) => consumedBy(entry).length > 0) ?? gone[0];
  if (first === undefined) return undefined;
  const instead: JournalBody = {
    type: 'inbox',
    id: `shortened/${boundary.seq}/inbox`,
    submission: `shortened/${boundary.seq}`,
    consumed: gone.flatMap(consumedBy),
  };
  const isGone = new Set(gone);
  const { seq, epoch, v, sessionId, cwd, timestamp } = first;
  const stamped: JournalEntry = { v, seq, epoch, sessionId, cwd, timestamp, ...instead };
  const kept = entries.flatMap((entry) => (entry === first ? [stamped] : isGone.has(entry) ? [] : [entry]));
  const isSame =
    isDeepStrictEqual(comparable(kept), comparable(entries)) &&
    isDeepStrictEqual(viewAt(kept, boundary.seq), viewAt(entries, boundary.seq));
  if (!isSame || gone.length < 2) return undefined;
  return { before: boundary.seq, seqs: gone.map((entry) => entry.seq), instead, place: first };
}

function neededBefore(
  entries: readonly JournalEntry[],
  at: number,
): (entry: JournalEntry, index: number) => boolean {
  const boundary = entries[at] as JournalEntry;
  const kept = new Set(keptByReset(boundary));
  const { view } = resumeSession(entries);
  for (const { uuid } of view.messages) kept.add(uuid);
  const keptOf = new Set<string>();
  for (const entry of entries.slice(0, at))
    if ('uuid' in entry && 'submission' in entry && kept.has(entry.uuid)) keptOf.add(entry.submission);
  const begun = entries.findLastIndex(({ type }) => type === 'submission');
  const open = (entries[begun] as { readonly submission?: string } | undefined)?.submission;
  const calls = callsThatSet(entries.slice(0, at));
  /** Index of the last record of each type, from which the last submission began. */
  const lastOf = new Map<string, number>();
  for (const [index, { type }] of entries.slice(0, Math.min(at, begun + 1)).entries())
    lastOf.set(type, index);
  return (entry, index) => {
    if (LAST_COUNTS.has(entry.type)) return index >= (lastOf.get(entry.type) ?? 0);
    if (entry.type === 'system') return entry.subtype.endsWith('compact_boundary');
    if (!TOLD.has(entry.type)) return true;
    if ('submission' in entry && entry.submission === open) return true;
    if (ORDER.has(entry.type) && 'submission' in entry && keptOf.has(entry.submission)) return true;
    const made = madeBy(entry);
    if (made !== undefined) return made.some((uuid) => kept.has(uuid));
    // What no sum contains yet counts by itself.
    if (entry.type === 'response' || entry.type === 'request') return index >= (lastOf.get('cost') ?? 0);
    if (!('uuid' in entry)) return false;
    const message = messageOfRecord(entry);
    if (message === undefined || kept.has(entry.uuid) || noticedTasks(message).length > 0) return true;
    if (message.type === 'assistant')
      return message.message.content.some((block) => block.type === 'tool_use' && calls.has(block.id));
    return message.type === 'user' && resultIds(message).some((id) => calls.has(id));
  };
}

/** Calls whose results set what a summary must not lose. Of lists and plans the last one counts. */
function callsThatSet(entries: readonly JournalEntry[]): ReadonlySet<string> {
  const names = new Map<string, string>();
  const last = new Map<string, string>();
  for (const entry of entries) {
    const message = entry.type === 'assistant' || entry.type === 'user' ? messageOfRecord(entry) : undefined;
    if (message?.type === 'assistant')
      for (const block of message.message.content)
        if (block.type === 'tool_use' && toolFacts(block.name).sets !== undefined)
          names.set(block.id, block.name);
    if (message?.type !== 'user') continue;
    for (const id of resultIds(message)) {
      const name = names.get(id);
      if (name === undefined || isErrorFor(message, id)) continue;
      const { sets } = toolFacts(name);
      last.set(sets === 'todos' || sets === 'plan' ? sets : id, id);
    }
  }
  return new Set(last.values());
}

/** Prompts of which it says that the conversation has them. */
function consumedBy(entry: JournalEntry): readonly string[] {
  if (entry.type === 'inbox') return entry.consumed;
  if (entry.type !== 'user') return [];
  return entry.kind === 'prompt' || entry.kind === 'command' ? [entry.uuid] : [];
}

const viewAt = (entries: readonly JournalEntry[], seq: number) =>
  comparable(entries.filter((entry) => entry.seq <= seq)).messages;

function comparable(entries: readonly JournalEntry[]) {
  const { view, problems: _, ...session }: ResumedSession = resumeSession(entries);
  return { ...session, messages: view.messages.slice() };
}
