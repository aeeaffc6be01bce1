/**
 * Which records count, and in what order: `seq` for own records, the chain of parents for those of other
 * programs.
 */
import { JOURNAL_VERSION, type JournalEntry } from '../../protocol/session/journal.ts';
import type { FoldProblems } from '../../view/fold.ts';
import { isSettled, recordIdentity } from '../journal/message-record.ts';

/** Problems of a resumed session's records. None stops a resume; all can be reported (F70, F73). */
export interface ResumeProblems extends FoldProblems {
  /** Records of a later format, kept in the file and ignored. */
  newer: number;
  /** Duplicate records; the first counts. */
  duplicates: number;
  /** Messages or edits without the shape of one. */
  malformed: number;
  /** A transcript with missing or cyclic parents: read in file order. */
  brokenParents: number;
}

export const noProblems = (): ResumeProblems => ({
  newer: 0,
  duplicates: 0,
  malformed: 0,
  brokenParents: 0,
  orphanResults: 0,
  missingResults: 0,
});

type Linked = JournalEntry & {
  readonly uuid: string;
  readonly parentUuid?: string | null;
  readonly isSidechain?: boolean;
};

export function recordsInOrder(
  entries: Iterable<JournalEntry>,
  problems: ResumeProblems,
  /** A subagent's transcript is one side chain; that of a session is not. */
  { sidechain = false }: { readonly sidechain?: boolean } = {},
): JournalEntry[] {
  /** Index of each message, and, where records are out of order, of other records. */
  const seen = new Map<string, number>();
  const records: JournalEntry[] = [];
  let last = 0;
  let sorted = true;
  let isForeign = false;
  for (const entry of entries) {
    if (entry.v > JOURNAL_VERSION) {
      problems.newer++;
      continue;
    }
    if (entry.v === 0) isForeign = true;
    if (sorted && entry.seq <= last) {
      sorted = false;
      for (const [at, record] of records.entries()) {
        const key = toRecordKey(record);
        if (key !== undefined) seen.set(key, at);
      }
    }
    // Records in order keep their place.
    const key = sorted && !('uuid' in entry) ? undefined : toRecordKey(entry);
    const at = key === undefined ? undefined : seen.get(key);
    if (at !== undefined) {
      if (isSettled(entry)) records[at] = { ...(records[at] as typeof entry), message: entry.message };
      else problems.duplicates++;
      continue;
    }
    if (key !== undefined) seen.set(key, records.length);
    last = entry.seq;
    records.push(entry);
  }
  if (!sorted) records.sort((a, b) => a.seq - b.seq);
  const isOfMain = (record: JournalEntry) => !('isSidechain' in record && record.isSidechain === true);
  const main = sidechain || records.every(isOfMain) ? records : records.filter(isOfMain);
  const standing = withoutRewound(main);
  return isForeign ? withoutAbandonedBranches(standing, problems) : standing;
}

/** A message is identified wherever it recurs; any other record only in its own place. */
function toRecordKey(entry: JournalEntry): string | undefined {
  if ('uuid' in entry) return entry.uuid;
  return entry.v === 0 ? undefined : `${entry.seq} ${recordIdentity(entry)}`;
}

/** Removes records that a later resume rewound. */
function withoutRewound(records: JournalEntry[]): JournalEntry[] {
  if (!records.some(({ type }) => type === 'rewind')) return records;
  let standing: JournalEntry[] = [];
  for (const record of records) {
    if (record.type === 'rewind') {
      const cut = cutBehind(standing, record.to);
      if (cut !== undefined)
        standing = [...standing.slice(0, cut), ...standing.slice(cut).filter(outlivesRewind)];
    }
    standing.push(record);
  }
  return standing;
}

/** Costs, names, agents, consumed inbox items and file changes: a rewind undoes none of them. */
function outlivesRewind({ type }: JournalEntry): boolean {
  return (
    type === 'response' ||
    type === 'cost' ||
    type === 'inbox' ||
    type === 'file-change' ||
    type === 'agent-setting' ||
    type === 'agent' ||
    type === 'custom-title' ||
    type === 'title' ||
    type === 'rewind'
  );
}

/**
 * End of the records of a message and everything before it: the next message. undefined: there is no such
 * message.
 */
export function cutBehind(records: readonly JournalEntry[], uuid: string): number | undefined {
  const at = records.findIndex((record) => isMessage(record) && record.uuid === uuid);
  if (at < 0) return undefined;
  const next = records.findIndex(
    (record, index) =>
      index > at && ((isMessage(record) && record.uuid !== uuid) || record.type === 'submission'),
  );
  return next < 0 ? records.length : next;
}

function isMessage(record: JournalEntry): record is Linked {
  return 'uuid' in record && typeof record.uuid === 'string';
}

/**
 * Another program's transcript is a tree: going back and asking differently leaves the old branch in the
 * file. The chain from the last message to the root is the conversation. With a missing link or a cycle every
 * message is kept, in file order (F73).
 */
function withoutAbandonedBranches(records: JournalEntry[], problems: ResumeProblems): JournalEntry[] {
  const foreign = new Map<string, Linked>();
  /** A compaction boundary is a root of its own; what it summarises precedes it. */
  const beforeBoundary = new Map<Linked, Linked | undefined>();
  let leaf: Linked | undefined;
  let previous: Linked | undefined;
  for (const record of records) {
    if (record.v !== 0 || !('uuid' in record) || typeof record.uuid !== 'string') continue;
    foreign.set(record.uuid, record as Linked);
    if (record.type === 'system') beforeBoundary.set(record as Linked, previous);
    previous = record as Linked;
    if (record.type === 'user' || record.type === 'assistant') leaf = record as Linked;
  }
  if (leaf === undefined) return records;
  const parentOf = (link: Linked): Linked | 'missing' | undefined =>
    typeof link.parentUuid === 'string'
      ? (foreign.get(link.parentUuid) ?? 'missing')
      : beforeBoundary.get(link);
  const chain = new Set<Linked>();
  for (let at: Linked | undefined = leaf; ; ) {
    if (chain.has(at)) return countBroken(records, problems);
    chain.add(at);
    const parent: Linked | 'missing' | undefined = parentOf(at);
    if (parent === 'missing') return countBroken(records, problems);
    if (parent === undefined) break;
    at = parent;
  }
  const kept = keptBesideChain(chain);
  return records.filter((record) => {
    // A title belongs to the session, on whatever branch it was given; some programs give it a uuid.
    if (record.type === 'custom-title') return true;
    const message = 'uuid' in record ? foreign.get(record.uuid) : undefined;
    return message === undefined || chain.has(message) || kept(message);
  });
}

function countBroken(records: JournalEntry[], problems: ResumeProblems): JournalEntry[] {
  problems.brokenParents++;
  return records;
}

/** Blocks of one response and the results of its calls are siblings; the chain passes through one of them. */
function keptBesideChain(chain: ReadonlySet<Linked>): (message: Linked) => boolean {
  const responses = new Set<string>();
  const uuids = new Set<string>();
  for (const link of chain) {
    uuids.add(link.uuid);
    if (link.type === 'assistant' && typeof link.message?.id === 'string') responses.add(link.message.id);
  }
  const besides = new Set<string>();
  return (message) => {
    const sameResponse = message.type === 'assistant' && responses.has(message.message?.id);
    const answersOne =
      message.type === 'user' &&
      isToolResult(message) &&
      typeof message.parentUuid === 'string' &&
      (uuids.has(message.parentUuid) || besides.has(message.parentUuid));
    if (sameResponse || answersOne) besides.add(message.uuid);
    return sameResponse || answersOne || message.type === 'attachment' || message.type === 'system';
  };
}

function isToolResult(message: Extract<Linked, { type: 'user' }>): boolean {
  const content = message.message?.content;
  return Array.isArray(content) && content.some((block) => block?.type === 'tool_result');
}
