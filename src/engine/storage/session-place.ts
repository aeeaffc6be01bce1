/** Where a session is kept, and the journal that is opened there. */
import { join } from 'node:path';
import { lifeOf } from '../../model/life-of.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { Clock, Ids, JournalStore, LeaseStore } from '../../protocol/ports.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { createFileJournalStore } from '../../session/journal/file-store.ts';
import { createJournalWriter } from '../../session/journal/journal-writer.ts';
import { createMemoryJournalStore } from '../../session/journal/memory-store.ts';
import { createFileLeaseStore } from '../../session/lease/lease.ts';
import { sessionsDirectory } from '../../session/paths.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { HostChannel } from '../session/host-channel.ts';
import { titleRecord } from '../session/session-title.ts';
import { VERSION } from '../version.ts';
import { clearUp, composeMirror, layOut, type SessionMirror, temporaryDirectoryOf } from './mirror.ts';
import type { OpenedJournal } from './session-journal.ts';

export interface ComposedSession {
  readonly sessionId: string;
  /** Folder of the session files; undefined: memory, or a store of the host's. */
  readonly directory: string | undefined;
  readonly transcriptPath: string | undefined;
  open(): Promise<OpenedJournal>;
  /** Who else gets what is written; undefined: no one. */
  readonly mirror: SessionMirror | undefined;
  /** Everything on record, in order. */
  read(): AsyncIterable<JournalEntry>;
}

interface SessionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: PersistentFiles;
  readonly host: HostChannel;
}

/** The session that is resumed, the one that was asked for, or a new one. */
export function sessionIdOf({ forkSession, resume, sessionId }: QueryEngineConfig, ids: Ids): string {
  return (forkSession === true ? sessionId : (resume ?? sessionId)) ?? ids.uuid();
}

export function composeSession(config: QueryEngineConfig, ports: SessionPorts): ComposedSession {
  const { sessionId } = ports.host;
  const temporary = temporaryDirectoryOf(config, ports);
  const directory = temporary ?? directoryOf(config);
  const mirror = composeMirror(config, directory, ports);
  const store = config.store ?? storeIn(directory, config, ports, mirror);
  return {
    sessionId,
    directory,
    transcriptPath: directory && join(directory, `${sessionId}.jsonl`),
    read: () => store.read(sessionId),
    mirror,
    async open() {
      if (temporary !== undefined) await layOut(config, temporary, ports);
      const opened = await openJournal(store, leasesIn(directory, config, ports), sessionId, config);
      if (mirror === undefined && temporary === undefined) return opened;
      const close = async () => {
        await opened.close().finally(() => mirror?.flush());
        if (temporary !== undefined) await clearUp(temporary, ports.files);
      };
      return { ...opened, close };
    },
  };
}

/** undefined: the session is not kept in files. */
function directoryOf(config: QueryEngineConfig): string | undefined {
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
  const { cwd, durability = 'process', stderr } = config;
  if (directory === undefined) return createMemoryJournalStore({ cwd, clock, version: VERSION });
  const onProblem = (sessionId: string, problem: { readonly kind: string }) =>
    stderr?.(`The journal of session ${sessionId} has a flaw that was passed over: ${problem.kind}.`);
  const onWritten = mirror === undefined ? {} : { onWritten: mirror.onWritten };
  return createFileJournalStore({
    files,
    directory,
    cwd,
    clock,
    durability,
    version: VERSION,
    onProblem,
    ...onWritten,
  });
}

/** Two processes on one session file are told of each other; other stores bring their own leases, if any. */
function leasesIn(
  directory: string | undefined,
  config: QueryEngineConfig,
  { clock, files }: SessionPorts,
): LeaseStore | undefined {
  if (config.leases !== undefined) return config.leases;
  return directory === undefined ? undefined : createFileLeaseStore({ files, directory, clock });
}

async function openJournal(
  store: JournalStore,
  leases: LeaseStore | undefined,
  sessionId: string,
  config: QueryEngineConfig,
): Promise<OpenedJournal> {
  const { durability = 'process', resume } = config;
  const forks = config.forkSession === true;
  // What is refused is refused before anything is written, a lock included.
  if (resume !== undefined) await refuseUnknown(store, resume);
  if ((resume === undefined || forks) && config.sessionId !== undefined)
    await refuseTaken(store, config.sessionId);
  const earlier =
    resume === undefined
      ? undefined
      : await (await import('./recover-session.ts')).openEarlierLife(store, resume, config);
  const lease = await leases?.acquire(sessionId, { takeOver: config.takeOver === true });
  try {
    // Taken over first and read then: whatever an earlier owner still wrote is seen, or refused by the fence.
    const toResume = earlier !== undefined && !forks;
    const writer = await createJournalWriter({ store, sessionId, durability, toResume });
    if (config.title !== undefined && resume === undefined) await writer.append([titleRecord(config.title)]);
    const recovered = await earlier?.recover(writer);
    return {
      recorder: writer,
      earlierLives: writer.epoch - 1,
      recovered,
      lost: lease === undefined ? [writer.fenced] : [writer.fenced, lease.life ?? lifeOf(lease.signal)],
      async close() {
        // Records that a full disk refused must not keep the session locked as well.
        try {
          await writer.close();
        } finally {
          await lease?.release();
        }
      },
    };
  } catch (error) {
    await lease?.release();
    throw error;
  }
}

/** A second conversation under one id would be read as one with the first. */
async function refuseTaken(store: JournalStore, sessionId: string): Promise<void> {
  if (!(await store.exists(sessionId))) return;
  throw new TurnwrightError(
    'session_exists',
    `There is a session ${sessionId} already. Resume it, or take another id.`,
  );
}

async function refuseUnknown(store: JournalStore, sessionId: string): Promise<void> {
  if (await store.exists(sessionId)) return;
  throw new TurnwrightError('session_not_found', `No conversation found with session ID: ${sessionId}`);
}
