/**
 * The digest of a long journal: what a resume needs of its first part, in a file beside it, ready to be read. It says
 * of which bytes it was made. The journal is the law: where these are no longer what they were, or the digest is not
 * whole, it is as if there were none, and the journal is read from its start.
 */
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { PersistentFiles } from '../protocol/files.ts';
import type { JournalEntry } from '../protocol/journal.ts';
import { EarlierRecords } from './earlier-records.ts';
import { MAX_LINE_BYTES } from './envelope.ts';
import { type JournalPosition, scanJournal } from './read-journal.ts';
import { readLines, readParts } from './read-lines.ts';

/** A journal is worth one when so much of it is in none yet: reading that takes about 50 ms. */
export const DIGEST_FROM_BYTES = 8 * 1024 * 1024;
const DIGEST_VERSION = 1;
/** On one line: what is parsed at once. */
const LINE_RECORDS = 200;

export interface Digest {
  /** Up to where it goes. */
  readonly position: JournalPosition;
  readonly entries: readonly JournalEntry[];
}

/** Its first line. */
interface Head {
  readonly v: number;
  /** Another version of the program may tell records in other words. */
  readonly program: string;
  /** false: of damage, and of what was gone back behind, a resume reads in the journal. So it is not tried at each close. */
  readonly holds: boolean;
  readonly position: JournalPosition;
  /** CRC-32 of the journal up to there, and of the lines behind this one. */
  readonly journalSum: number;
  readonly sum: number;
}

/** `<id>/digest.jsonl`, beside the journal. */
const digestPath = (journal: string): string => join(journal.slice(0, -'.jsonl'.length), 'digest.jsonl');

/** undefined: there is none that holds. */
export async function readDigest(
  files: PersistentFiles,
  journal: string,
  program = '0',
): Promise<Digest | undefined> {
  const size = (await files.stat(journal))?.size ?? 0;
  if (size < DIGEST_FROM_BYTES) return undefined;
  let head: Head | undefined;
  let sum = 0;
  const entries: JournalEntry[] = [];
  try {
    for await (const { bytes } of linesOf(files, journal)) {
      const value: unknown = JSON.parse(bytes.toString('utf8'));
      if (head === undefined) {
        head = value as Head;
        if (!isOurs(head, program) || !head.holds || head.position.size > size) return undefined;
      } else {
        sum = crc32(bytes, sum);
        for (const entry of value as readonly JournalEntry[]) entries.push(entry);
      }
    }
  } catch {
    return undefined;
  }
  if (head === undefined || head.sum !== sum) return undefined;
  if (head.journalSum !== (await sumOf(files, journal, head.position.size))) return undefined;
  return { position: head.position, entries };
}

const isOurs = ({ v, program }: Head, own: string): boolean => v === DIGEST_VERSION && program === own;

/** Makes one of all that a long journal holds, unless there is one of nearly as much. */
export async function keepDigest(files: PersistentFiles, journal: string, program = '0'): Promise<void> {
  const size = (await files.stat(journal))?.size ?? 0;
  if (size - (await digestedBytes(files, journal, program)) < DIGEST_FROM_BYTES) return;
  const before = await readDigest(files, journal, program);
  const earlier = new EarlierRecords(before?.entries);
  const position = await scanJournal(files, journal, before?.position, earlier);
  const gathered = earlier.problems.length > 0 || position.endsOpen ? undefined : earlier.entries();
  const entries = gathered ?? [];
  const lines: Buffer[] = [];
  for (let at = 0; at < entries.length; at += LINE_RECORDS)
    lines.push(Buffer.from(`${JSON.stringify(entries.slice(at, at + LINE_RECORDS))}\n`));
  const head: Head = {
    v: DIGEST_VERSION,
    program,
    holds: gathered !== undefined,
    position,
    journalSum: await sumOf(files, journal, position.size),
    sum: lines.reduce((sum, line) => crc32(line.subarray(0, -1), sum), 0),
  };
  const path = digestPath(journal);
  await files.makeDir(dirname(path), 0o700);
  const text = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...lines]);
  await files.writeAtomic(path, text, { mode: 0o600 });
}

async function digestedBytes(files: PersistentFiles, journal: string, program: string): Promise<number> {
  try {
    for await (const { bytes } of linesOf(files, journal)) {
      const head = JSON.parse(bytes.toString('utf8')) as Head;
      return isOurs(head, program) ? head.position.size : 0;
    }
  } catch {
    // Made anew.
  }
  return 0;
}

const linesOf = (files: PersistentFiles, journal: string) =>
  readLines(files, digestPath(journal), { maxLineBytes: MAX_LINE_BYTES });

async function sumOf(files: PersistentFiles, path: string, size: number): Promise<number> {
  let sum = 0;
  for await (const part of readParts(files, path, 0, size)) sum = crc32(part, sum);
  return sum;
}
