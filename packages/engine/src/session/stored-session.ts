/** Loads a session from a host's store into files, so that it can be resumed like any other. */

import { join } from 'node:path';
import { withoutLineSeparators } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { TurnwrightError } from '../protocol/errors.ts';
import type { Clock } from '../protocol/ports.ts';
import type { JournalBody } from '../protocol/session/journal.ts';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../protocol/session/session-store.ts';
import { decodeStored, encodeRecord, sessionPrefix } from './journal/envelope.ts';
import { journalPath } from './session-files.ts';

interface StoredSessionOptions {
  readonly store: SessionStore;
  readonly key: SessionKey;
  /** Folder of the files. */
  readonly directory: string;
  readonly files: PersistentFiles;
  readonly clock: Pick<Clock, 'sleep' | 'nowMs'>;
  /** Time limit of each read of the store, ms. */
  readonly loadTimeoutMs: number;
}

/** Rejects with `session_not_found`, and with `storage_error` when the store fails or is too slow. */
export async function layOutStoredSession(options: StoredSessionOptions): Promise<void> {
  const { store, key, directory, files } = options;
  const path = journalPath(directory, key.sessionId);
  const main = await ask(options, 'load', () => store.load(key));
  if (main === null || main.length === 0)
    throw new TurnwrightError(
      'session_not_found',
      `No conversation found with session ID: ${key.sessionId} under the key "${key.projectKey}" of the session store.`,
    );
  await files.makeDir(directory, 0o700);
  await files.writeAtomic(path, encodeEntries(main, options), { mode: 0o600 });
  const { projectKey, sessionId } = key;
  const subpaths =
    (await ask(options, 'listSubkeys', async () => store.listSubkeys?.({ projectKey, sessionId }))) ?? [];
  for (const subpath of subpaths.filter(isPlainPath)) {
    const entries = (await ask(options, 'load', () => store.load({ ...key, subpath }))) ?? [];
    const file = `${join(directory, sessionId, subpath)}.jsonl`;
    await files.makeDir(join(file, '..'), 0o700);
    await files.writeAtomic(file, encodeEntries(entries, options), { mode: 0o600 });
  }
}

async function ask<T>(
  { clock, loadTimeoutMs }: StoredSessionOptions,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const done = new AbortController();
  const late = clock.sleep(loadTimeoutMs, done.signal).then(
    () => {
      throw new TurnwrightError(
        'storage_error',
        `The session store's ${what}() took more than ${loadTimeoutMs} ms.`,
      );
    },
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    if (error instanceof TurnwrightError) throw error;
    const reason = errorText(error);
    throw new TurnwrightError('storage_error', `The session store's ${what}() failed: ${reason}`, {
      cause: error,
    });
  } finally {
    done.abort();
  }
}

/** Own records are sealed anew: a store may return keys in another order. */
function encodeEntries(entries: readonly SessionStoreEntry[], { clock }: StoredSessionOptions): string {
  const lines = entries.flatMap((entry) => {
    const decoded = decodeStored(entry);
    if (decoded.kind !== 'ok')
      return decoded.kind === 'takeover' ? [] : [withoutLineSeparators(JSON.stringify(entry))];
    const { sessionId, cwd, seq, epoch } = decoded.entry;
    const version = typeof entry['version'] === 'string' ? entry['version'] : '0';
    const prefix = sessionPrefix({ sessionId, cwd, version });
    return [encodeRecord(decoded.entry as JournalBody, { seq, epoch }, prefix, clock.nowMs())];
  });
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function isPlainPath(path: string): boolean {
  return /^[\w.-]+(?:\/[\w.-]+)*$/.test(path) && !path.split('/').includes('..');
}
