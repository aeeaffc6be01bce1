/** Files of a kept session as they were at a step: from checkpoints and results, put into a working copy. */
import { join, relative } from 'node:path';
import { findGitFolder, readHead } from '@turnwright/base/files/git-folder.ts';
import { isInside } from '@turnwright/base/files/inside.ts';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { takeStart } from '@turnwright/base/text/cut-text.ts';
import type { FileState, WorkingCopy } from '@turnwright/base/working-copies/working-copy.ts';
import type { BlobStore } from '../../protocol/ports.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { SessionStep } from '../../session/forking/fork-point.ts';
import {
  listUnrecordedCalls,
  type RecordedFile,
  readFirstCommit,
  readRecordedFiles,
} from '../../session/forking/recorded-files.ts';
import { createFileBlobStore } from '../../session/in-process/blob-store.ts';
import { readJournal } from '../../session/journal/read-journal.ts';
import type { FoundSession } from '../../session/paths.ts';

export async function readWholeJournal(files: PersistentFiles, file: string): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of readJournal(files, file, {})) entries.push(entry);
  return entries;
}

interface Recording {
  readonly records: readonly JournalEntry[];
  readonly step: SessionStep;
  /** That the session ran in. */
  readonly folder: string;
  readonly found: FoundSession;
  readonly files: PersistentFiles;
}

/** Puts what tools recorded into the copy; resolves to what is not known. */
export async function putRecordedFiles(copy: WorkingCopy, recording: Recording): Promise<string[]> {
  const { records, step, folder, found, files } = recording;
  const beside = join(found.directory, found.sessionId);
  const agents = await readAgents(join(beside, 'subagents'), files);
  const blobs = createFileBlobStore({ files, directory: join(beside, 'file-history') });
  const notes: string[] = [];
  const states: FileState[] = [];
  for (const file of readRecordedFiles(records, step.at, agents)) {
    const shown = isInside(file.path, folder) ? relative(folder, file.path) : file.path;
    const now = await readNow(copy, file.path, folder, files);
    const state = await toState(file, now, blobs);
    if (state === 'as it is') continue;
    if (state === undefined)
      notes.push(`${shown} is as it is now: what it held at step ${step.iteration} is not recorded`);
    else states.push(state);
  }
  for (const { path, why } of await copy.putFiles(states)) notes.push(`${path} is as it is now: ${why}`);
  return [...notes, ...(await describeCommit(records, folder, files)), ...describeUnrecorded(records, step)];
}

async function readAgents(directory: string, files: PersistentFiles): Promise<readonly JournalEntry[][]> {
  if ((await files.stat(directory))?.kind !== 'directory') return [];
  const names = (await files.readDir(directory)).filter((name) => name.endsWith('.jsonl'));
  return Promise.all(names.map((name) => readWholeJournal(files, join(directory, name))));
}

async function readNow(copy: WorkingCopy, path: string, folder: string, files: PersistentFiles) {
  if (!isInside(path, folder)) return undefined;
  return files.readFile(join(copy.path, relative(folder, path))).catch(() => undefined);
}

/** undefined: not known. 'as it is': the file holds it already. */
async function toState(
  { path, content, hash }: RecordedFile,
  now: Uint8Array | undefined,
  blobs: BlobStore,
): Promise<FileState | 'as it is' | undefined> {
  if (content === null) return now === undefined ? 'as it is' : { path, content };
  if (hash !== undefined && now !== undefined && sha256(now) === hash) return 'as it is';
  if (content === undefined) return undefined;
  if ('kept' in content) {
    const bytes = await blobs.get(content.kept.hash).catch(() => undefined);
    if (bytes === undefined || sha256(bytes) !== content.kept.hash) return undefined;
    return { path, content: bytes, mode: content.kept.mode };
  }
  const text = now === undefined ? undefined : new TextDecoder().decode(now);
  // Tools read texts without the mark at their beginning, and with one kind of line ends.
  if (text !== undefined && text.replaceAll('\r\n', '\n') === content.text.replaceAll('\r\n', '\n'))
    return 'as it is';
  const ends = text?.includes('\r\n') === true && !content.text.includes('\r\n');
  return { path, content: ends ? content.text.replaceAll('\n', '\r\n') : content.text };
}

/** Where the repository moved on, files that no tool changed are those of now. */
async function describeCommit(
  records: readonly JournalEntry[],
  folder: string,
  files: PersistentFiles,
): Promise<readonly string[]> {
  const then = readFirstCommit(records);
  const git = then === undefined ? undefined : await findGitFolder(folder, files);
  const now = git && (await readHead(git, files))?.commit;
  if (then === undefined || now === undefined || now.startsWith(then)) return [];
  return [
    `the repository was at ${then} when the session began and is at ${now.slice(0, then.length)} now: files that no tool changed are those of now`,
  ];
}

/** Named in a note. */
const MOST_NAMED = 3;
const CALL_CHARS = 40;

/** Commands that ran behind the step: what they did to files is in the folder, and is not undone. */
function describeUnrecorded(records: readonly JournalEntry[], step: SessionStep): readonly string[] {
  const after = listUnrecordedCalls(records).filter(({ at }) => at >= step.at);
  if (after.length === 0) return [];
  const named = [...new Set(after.map(({ what }) => takeStart(what.replaceAll(/\s+/g, ' '), CALL_CHARS)))];
  const more = named.length > MOST_NAMED ? `, and ${named.length - MOST_NAMED} more` : '';
  const calls = after.length === 1 ? '1 call' : `${after.length} calls`;
  return [
    `what ${calls} after this step changed in files by other means than Write and Edit is not recorded, and stays: ${named.slice(0, MOST_NAMED).join(', ')}${more}`,
  ];
}
