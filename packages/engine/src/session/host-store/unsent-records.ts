/**
 * What a host's store lacks of a session, sent from the session's own files: the journal is the outbox, and
 * how far the store is behind is all that is recorded, in `<id>.unsent.json` beside the journal.
 */
import { join } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/session/session-store.ts';
import { readLines } from '../journal/read-lines.ts';

/** By subpath ('' is the session itself): the sequence number of the last entry that the store has. */
export type Acknowledged = Readonly<Record<string, number>>;

interface Unsent {
  /** Folder of the files. */
  readonly directory: string;
  readonly acknowledged: Acknowledged;
}

const CHUNK_ENTRIES = 200;
const CHUNK_BYTES = 1024 * 1024;
const HEAD_BYTES = 64;
const SEQ = /^\{"v":\d+,"seq":(\d+),/;

/** The entry's number in its file; undefined for one that is in no file. */
export function seqOf({ seq }: SessionStoreEntry): number | undefined {
  return typeof seq === 'number' ? seq : undefined;
}

/** The entries of a transcript behind this number, in order. */
export async function* entriesAfter(
  files: PersistentFiles,
  directory: string,
  { sessionId, subpath }: Pick<SessionKey, 'sessionId' | 'subpath'>,
  after: number,
): AsyncGenerator<SessionStoreEntry[]> {
  const path = `${subpath === undefined ? join(directory, sessionId) : join(directory, sessionId, subpath)}.jsonl`;
  let chunk: SessionStoreEntry[] = [];
  let bytes = 0;
  for await (const line of readLines(files, path)) {
    const seq = Number(SEQ.exec(line.bytes.toString('latin1', 0, HEAD_BYTES))?.[1] ?? -1);
    if (seq <= after || !line.complete) continue;
    const entry = entryIn(line.bytes);
    if (entry === undefined || entry.type === 'takeover') continue;
    chunk.push(entry);
    bytes += line.bytes.length;
    if (chunk.length < CHUNK_ENTRIES && bytes < CHUNK_BYTES) continue;
    yield chunk;
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) yield chunk;
}

function entryIn(line: Buffer): SessionStoreEntry | undefined {
  try {
    return JSON.parse(line.toString('utf8')) as SessionStoreEntry;
  } catch {
    return undefined;
  }
}

const identifyEntry = (entry: SessionStoreEntry) => entry.uuid ?? seqOf(entry);

const unsentPath = (home: string, sessionId: string) => join(home, `${sessionId}.unsent.json`);

/** `home`: the folder of this project's sessions. An empty record removes the file. */
export async function recordUnsent(
  files: PersistentFiles,
  home: string,
  sessionId: string,
  unsent: Unsent,
): Promise<void> {
  const path = unsentPath(home, sessionId);
  if (Object.keys(unsent.acknowledged).length === 0) return files.remove(path);
  await files.makeDir(home, 0o700);
  await files.writeAtomic(path, JSON.stringify(unsent), { mode: 0o600 });
}

interface SendUnsentOptions {
  readonly store: SessionStore;
  readonly key: SessionKey;
  /** Folder of this project's sessions. */
  readonly home: string;
  readonly files: PersistentFiles;
}

/**
 * Sends what an earlier process on this machine could not, before the session is read from the store.
 * Resolves to the folder whose files are not needed any more. Rejects with `storage_error` when the store
 * does not take it, or was written to from elsewhere since then: its order would be lost.
 */
export async function sendUnsent({
  store,
  key,
  home,
  files,
}: SendUnsentOptions): Promise<string | undefined> {
  const path = unsentPath(home, key.sessionId);
  if ((await files.stat(path)) === undefined) return undefined;
  try {
    const { directory, acknowledged } = JSON.parse(
      Buffer.from(await files.readFile(path)).toString('utf8'),
    ) as Unsent;
    for (const [subpath, after] of Object.entries(acknowledged)) {
      const own = { ...key, ...(subpath !== '' && { subpath }) };
      const stored = (await store.load(own)) ?? [];
      const later = stored.filter((entry) => (seqOf(entry) ?? -1) > after);
      const unknown = new Set(later.map(identifyEntry));
      if (unknown.size > 0)
        for await (const chunk of entriesAfter(files, directory, own, after))
          for (const entry of chunk) unknown.delete(identifyEntry(entry));
      if (unknown.size > 0) throw new Error('the store has later entries from elsewhere');
      // A call that was given up for its time may have succeeded.
      const known = later.reduce((most, entry) => Math.max(most, seqOf(entry) ?? 0), after);
      for await (const chunk of entriesAfter(files, directory, own, known)) await store.append(own, chunk);
    }
    await files.remove(path);
    return directory === home ? undefined : directory;
  } catch (error) {
    throw new TurnwrightError(
      'storage_error',
      `Entries of session ${key.sessionId} that are only on this machine could not be sent to the session store: ` +
        `${errorText(error)}. Without the file ${path} they are not sent.`,
      { cause: error },
    );
  }
}
