/**
 * A cache for long journals: what a resume needs of their first part, parsed, in a file beside the journal.
 * It names the bytes that it was made from. If these have changed, or the cache is damaged, it is ignored and
 * the journal is read from its start.
 */
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { DIGEST_FROM_BYTES, EarlierRecords } from './earlier-records.ts';
import { type JournalPosition, scanJournal } from './read-journal.ts';
import { readLines, readParts } from './read-lines.ts';
import { asAppended, asWritten } from './stored-form.ts';

const DIGEST_VERSION = 3;
/** Bytes that are processed without yielding to the event loop. */
const PART_BYTES = 1024 * 1024;

interface Digest {
  /** Position in the journal that it covers. */
  readonly position: JournalPosition;
  readonly entries: readonly JournalEntry[];
}

/** Its first line. */
interface Head {
  readonly v: number;
  /** Another version of the program may parse records differently. */
  readonly program: string;
  /**
   * false: the journal is damaged or was rewound, so a resume must read it. Recorded so that it is not
   * attempted at each close.
   */
  readonly holds: boolean;
  readonly position: JournalPosition;
  /** CRC-32 of the journal up to there. */
  readonly journalSum: number;
  /** Length of each following line: a list of records, and a newline. */
  readonly lines: readonly number[];
  /** CRC-32 of this line, with 0 in this field, and the following ones. */
  readonly sum: number;
}

/** `<id>/digest.jsonl`, beside the journal. */
const digestPath = (journal: string): string => join(journal.slice(0, -'.jsonl'.length), 'digest.jsonl');

/** undefined: there is no valid one. */
export async function readDigest(
  files: PersistentFiles,
  journal: string,
  program = '0',
): Promise<Digest | undefined> {
  const size = (await files.stat(journal))?.size ?? 0;
  if (size < DIGEST_FROM_BYTES) return undefined;
  try {
    const found = await readDigestHead(files, journal, program);
    if (found === undefined || !found.head.holds || found.head.position.size > size) return undefined;
    const { head, end } = found;
    const { position, journalSum } = head;
    const entries: JournalEntry[] = [];
    let sum = sumOfHead(head);
    let at = end;
    for (const length of head.lines) {
      for await (const line of readParts(files, digestPath(journal), at, at + length, length)) {
        sum = crc32(line, sum);
        for (const stored of JSON.parse(line.toString('utf8')) as Record<string, unknown>[])
          entries.push(asAppended(stored) as unknown as JournalEntry);
      }
      at += length;
    }
    if (sum !== head.sum || journalSum !== (await checksumFile(files, journal, position.size)))
      return undefined;
    return { position, entries };
  } catch {
    return undefined;
  }
}

/** Writes a cache for a long journal, unless there is one that covers nearly as much. */
export async function keepDigest(files: PersistentFiles, journal: string, program = '0'): Promise<void> {
  const size = (await files.stat(journal))?.size ?? 0;
  if (size - (await digestedBytes(files, journal, program)) < DIGEST_FROM_BYTES) return;
  const before = await readDigest(files, journal, program);
  const earlier = new EarlierRecords(before?.entries);
  const position = await scanJournal(files, journal, before?.position, earlier);
  const gathered = earlier.problems.length > 0 || position.endsOpen ? undefined : earlier.entries();
  const lines = encodeLines(gathered ?? []);
  const unsummed: Head = {
    v: DIGEST_VERSION,
    program,
    holds: gathered !== undefined,
    position,
    journalSum: await checksumFile(files, journal, position.size),
    lines: lines.map(({ length }) => length),
    sum: 0,
  };
  const head: Head = {
    ...unsummed,
    sum: lines.reduce((sum, line) => crc32(line, sum), sumOfHead(unsummed)),
  };
  const path = digestPath(journal);
  await files.makeDir(dirname(path), 0o700);
  const text = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...lines]);
  await files.writeAtomic(path, text, { mode: 0o600 });
}

const sumOfHead = (head: Head): number => crc32(JSON.stringify({ ...head, sum: 0 }));

/** Without what a resume does not need: parents of own records, and session and folder after the first. */
export function digested(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const first = entries.findIndex(({ sessionId, cwd }) => sessionId !== '' && cwd !== '');
  return entries.map((entry, at) =>
    at <= first || entry.v === 0 ? entry : { ...entry, sessionId: '', cwd: '', parentUuid: undefined },
  ) as readonly JournalEntry[];
}

function encodeLines(entries: readonly JournalEntry[]): Buffer[] {
  const lines: Buffer[] = [];
  let texts: string[] = [];
  let chars = 0;
  for (const [at, entry] of digested(entries).entries()) {
    const text = JSON.stringify(asWritten(entry));
    texts.push(text);
    chars += text.length;
    if (chars < PART_BYTES && at < entries.length - 1) continue;
    lines.push(Buffer.from(`[${texts.join(',')}]\n`));
    texts = [];
    chars = 0;
  }
  return lines;
}

async function digestedBytes(files: PersistentFiles, journal: string, program: string): Promise<number> {
  return (await readDigestHead(files, journal, program).catch(() => undefined))?.head.position.size ?? 0;
}

/** undefined: there is none, or one of another version. */
async function readDigestHead(files: PersistentFiles, journal: string, program: string) {
  for await (const { bytes, end } of readLines(files, digestPath(journal))) {
    const head = JSON.parse(bytes.toString('utf8')) as Head;
    return head.v === DIGEST_VERSION && head.program === program ? { head, end } : undefined;
  }
  return undefined;
}

async function checksumFile(files: PersistentFiles, path: string, size: number): Promise<number> {
  let sum = 0;
  for await (const part of readParts(files, path, 0, size, PART_BYTES)) sum = crc32(part, sum);
  return sum;
}
