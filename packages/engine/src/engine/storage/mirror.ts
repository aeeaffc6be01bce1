/** Copies what is written to the session's files to the host's store and to a listener. */
import { basename, join, relative, sep } from 'node:path';
import { privateTemp } from '@turnwright/base/files/temporary-folder.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { OPTIONS } from '../../options/table.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { SessionKey, SessionStoreEntry } from '../../protocol/session/session-store.ts';
import { projectSlug } from '../../session/paths.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { HostChannel } from '../session/host-channel.ts';

interface MirrorPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: PersistentFiles;
  readonly host: HostChannel;
}

export interface SessionMirror {
  /** Called with lines once they are written to a file. */
  onWritten(path: string, lines: readonly string[]): void;
  /** Entries of this file that are sent to store and listener only. */
  tell(path: string, entries: readonly SessionStoreEntry[]): void;
  /** Resolves once the store has what was written, or writing to it was given up. Never rejects. */
  flush(): Promise<void>;
  /** Flushes for the last time. Resolves to whether the store has everything. Never rejects. */
  close(): Promise<boolean>;
}

/** `home`: where sessions of this folder are kept. undefined: there is neither a store nor a listener. */
export function composeMirror(
  config: QueryEngineConfig,
  directory: string | undefined,
  home: string | undefined,
  { clock, host, files }: MirrorPorts,
): SessionMirror | undefined {
  const { sessionStore: store, onTranscript } = config;
  const { sessionStoreFlush: flush = OPTIONS.sessionStoreFlush.default } = config;
  if (directory === undefined || (store === undefined && onTranscript === undefined)) return undefined;
  const onError = (error: string, key: SessionKey) => {
    config.stderr?.(`Entries of session ${key.sessionId} did not reach the session store: ${error}`);
    host.emit({ type: 'system', subtype: 'mirror_error', error, key, ...host.stamp() });
  };
  // Opened with the session: what a failing store needs later must not be loaded then.
  const opening =
    store &&
    import('./open-mirror.ts').then(({ openMirror }) =>
      openMirror({ store, flush, clock, files, directory, home, onError, config, sessionId: host.sessionId }),
    );
  const tell = (path: string, entries: readonly SessionStoreEntry[]) => {
    onTranscript?.(path, entries);
    void opening?.then(({ push }) => push(toSessionKey(path, directory), entries));
  };
  return {
    tell,
    onWritten(path, lines) {
      tell(
        path,
        lines.map((line) => JSON.parse(line) as SessionStoreEntry),
      );
    },
    flush: async () => (await opening)?.flush(),
    close: async () => (await opening)?.close() ?? true,
  };
}

function toSessionKey(path: string, directory: string): SessionKey {
  const [sessionId = '', ...rest] = relative(directory, path)
    .replace(/\.jsonl$/, '')
    .split(sep);
  const projectKey = basename(directory);
  return rest.length === 0 ? { projectKey, sessionId } : { projectKey, sessionId, subpath: rest.join('/') };
}

/**
 * Temporary folder for the files of a session from the host's store; undefined: they are in the usual folder.
 */
export function pickTemporaryDirectory(
  config: QueryEngineConfig,
  { ids }: Pick<MirrorPorts, 'ids'>,
): string | undefined {
  const { sessionStore, resume, home, cwd } = config;
  if (sessionStore === undefined || (resume === undefined && home !== undefined)) return undefined;
  return join(privateTemp(), `store-${ids.uuid()}`, 'projects', projectSlug(cwd));
}

/**
 * Writes the session to resume from the store into files, once the store has what earlier processes could
 * not send. Rejects with `session_not_found` or `storage_error`.
 */
export async function restoreFromStore(
  config: QueryEngineConfig,
  directory: string,
  home: string | undefined,
  { files, clock }: Pick<MirrorPorts, 'files' | 'clock'>,
): Promise<void> {
  const { sessionStore: store, resume: sessionId } = config;
  const { loadTimeoutMs = OPTIONS.loadTimeoutMs.default } = config;
  if (store === undefined || sessionId === undefined) return;
  const key = { projectKey: basename(directory), sessionId };
  if (home !== undefined) {
    const { sendUnsent } = await import('./open-mirror.ts');
    const sent = await sendUnsent({ store, key, home, files });
    if (sent !== undefined) await clearUp(sent, files);
  }
  const { layOutStoredSession } = await import('../../session/stored-session.ts');
  await layOutStoredSession({ store, key, directory, files, clock, loadTimeoutMs });
}

/** Removes the temporary folder of `pickTemporaryDirectory`. */
export async function clearUp(directory: string, files: PersistentFiles): Promise<void> {
  await files.removeTree(join(directory, '..', '..')).catch(() => undefined);
}
