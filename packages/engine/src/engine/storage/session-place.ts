/** Where a session is stored, and the journal that is opened there. */
import { join } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { codeOf, errorText } from '@turnwright/base/text/error-text.ts';
import type { Clock, Ids, JournalStore, LeaseStore } from '../../protocol/ports.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { createFileJournalStore } from '../../session/journal/file-store.ts';
import { createMemoryJournalStore } from '../../session/journal/memory-store.ts';
import { createFileLeaseStore } from '../../session/lease/lease.ts';
import { sessionsDirectory } from '../../session/paths.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { HostChannel } from '../session/host-channel.ts';
import { titleRecord } from '../session/session-title.ts';
import { VERSION } from '../version.ts';
import {
  clearUp,
  composeMirror,
  pickTemporaryDirectory,
  restoreFromStore,
  type SessionMirror,
} from './mirror.ts';
import { type OpenedJournal, openJournal } from './session-journal.ts';

export interface ComposedSession {
  readonly sessionId: string;
  /** Folder of the session files; undefined: in memory, or in the host's store. */
  readonly directory: string | undefined;
  readonly transcriptPath: string | undefined;
  open(): Promise<OpenedJournal>;
  /** Also receives what is written; undefined: there is none. */
  readonly mirror: SessionMirror | undefined;
  /** Every entry, in order. */
  read(): AsyncIterable<JournalEntry>;
}

interface SessionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: PersistentFiles;
  readonly host: HostChannel;
}

/** Id of the resumed session, the configured one, or a new one. */
export function pickSessionId({ forkSession, resume, sessionId }: QueryEngineConfig, ids: Ids): string {
  return (forkSession === true ? sessionId : (resume ?? sessionId)) ?? ids.uuid();
}

export function composeSession(config: QueryEngineConfig, ports: SessionPorts): ComposedSession {
  const { sessionId } = ports.host;
  const temporary = pickTemporaryDirectory(config, ports);
  const home = findSessionsDirectory(config);
  const directory = temporary ?? home;
  const mirror = composeMirror(config, directory, home, ports);
  let store = config.store ?? storeIn(directory, config, ports, mirror);
  return {
    sessionId,
    directory,
    transcriptPath: directory && join(directory, `${sessionId}.jsonl`),
    read: () => store.read(sessionId),
    mirror,
    async open() {
      if (temporary !== undefined) await restoreFromStore(config, temporary, home, ports);
      const leases = leasesIn(directory, config, ports);
      const beginning = config.title === undefined ? [] : [titleRecord(config.title)];
      const place = { sessionId, config, beginning };
      const opened = await openJournal({ ...place, store, leases }).catch((error: unknown) => {
        if (mirror !== undefined || !mayGoUnkept(error, config)) throw error;
        config.stderr?.(`Nothing of this session is kept. ${errorText(error)}`);
        store = storeIn(undefined, config, ports, mirror);
        return openJournal({ ...place, store, leases: undefined });
      });
      if (mirror === undefined && temporary === undefined) return opened;
      const close = async () => {
        let isStored = true;
        await opened.close().finally(async () => {
          isStored = (await mirror?.close()) ?? true;
        });
        // What the store lacks is only there.
        if (temporary !== undefined && isStored) await clearUp(temporary, ports.files);
      };
      return { ...opened, close };
    },
  };
}

const UNWRITABLE = ['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'ENOTDIR'];

/** What is to be continued, parked or held against a power cut is kept, or does not begin. */
function mayGoUnkept(error: unknown, config: QueryEngineConfig): boolean {
  const { mayGoUnkept: may, store, leases, resume, parkAfterMs, durability } = config;
  if (may !== true || resume !== undefined || store !== undefined || leases !== undefined) return false;
  if (parkAfterMs !== undefined || durability === 'power') return false;
  return error instanceof Error && UNWRITABLE.some((code) => code === codeOf(error.cause));
}

/** undefined: the session is not stored in files. */
function findSessionsDirectory(config: QueryEngineConfig): string | undefined {
  const { store, persistSession, home, cwd } = config;
  if (store !== undefined || persistSession === false || home === undefined) return undefined;
  return config.sessionsDirectory ?? sessionsDirectory(home, cwd);
}

function storeIn(
  directory: string | undefined,
  config: QueryEngineConfig,
  { clock, files }: SessionPorts,
  mirror: SessionMirror | undefined,
): JournalStore {
  const { cwd, durability, stderr } = config;
  if (directory === undefined) return createMemoryJournalStore({ cwd, clock, version: VERSION });
  const onProblem = (sessionId: string, problem: { readonly kind: string }) =>
    stderr?.(`The journal of session ${sessionId} has a flaw that was passed over: ${problem.kind}.`);
  return createFileJournalStore({
    files,
    directory,
    cwd,
    clock,
    durability,
    version: VERSION,
    onProblem,
    onWritten: mirror?.onWritten,
  });
}

/** Files have leases, so that a second process is refused; a host's store brings its own, if any. */
function leasesIn(
  directory: string | undefined,
  config: QueryEngineConfig,
  { clock, files }: SessionPorts,
): LeaseStore | undefined {
  if (config.leases !== undefined) return config.leases;
  return directory === undefined ? undefined : createFileLeaseStore({ files, directory, clock });
}
