/** Where a session is kept, and what an earlier life of it left there. */
import { join } from 'node:path';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { JournalBody, JournalEntry } from '../../protocol/journal.ts';
import type { Clock, Ids, JournalStore, LeaseStore } from '../../protocol/ports.ts';
import { createFileJournalStore } from '../../session/file-store.ts';
import { carryOnInterrupted, closeInterrupted } from '../../session/interrupted.ts';
import { createJournalWriter } from '../../session/journal-writer.ts';
import { createFileLeaseStore } from '../../session/lease.ts';
import { readEntries } from '../../session/load-session.ts';
import { createMemoryJournalStore } from '../../session/memory-store.ts';
import { sessionsDirectory } from '../../session/paths.ts';
import { type ResumedSession, resumeSession } from '../../session/resume.ts';
import { type Rewound, rewoundTo } from '../../session/rewind.ts';
import type { Announcer } from '../announcer.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { OpenedJournal, Recovered } from '../session-journal.ts';
import { titleRecord } from '../session-title.ts';
import { createSessionView } from '../session-view.ts';
import { VERSION } from '../version.ts';
import { clearUp, composeMirror, layOut, type SessionMirror, temporaryDirectoryOf } from './mirror.ts';

export interface ComposedSession {
  readonly sessionId: string;
  /** Folder of the session files; undefined: memory, or a store of the host's. */
  readonly directory: string | undefined;
  readonly transcriptPath: string | undefined;
  open(): Promise<OpenedJournal>;
  /** Resolves once the host's session store has what was written. undefined: there is none. */
  readonly mirrored: (() => Promise<void>) | undefined;
  /** Everything on record, in order. */
  read(): AsyncIterable<JournalEntry>;
}

export interface SessionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: PersistentFiles;
  readonly announcer: Announcer;
}

export function composeSession(config: QueryEngineConfig, ports: SessionPorts): ComposedSession {
  const forked = config.forkSession === true;
  const sessionId = forked
    ? (config.sessionId ?? ports.ids.uuid())
    : (config.resume ?? config.sessionId ?? ports.ids.uuid());
  const temporary = temporaryDirectoryOf(config, ports);
  const directory = temporary ?? directoryOf(config);
  const mirror = composeMirror(config, sessionId, directory, ports);
  const store = config.store ?? storeIn(directory, config, ports, mirror);
  return {
    sessionId,
    directory,
    transcriptPath: directory && join(directory, `${sessionId}.jsonl`),
    read: () => store.read(sessionId),
    mirrored: mirror?.flush,
    async open() {
      if (temporary !== undefined) await layOut(config, temporary, ports);
      const opened = await openJournal(store, leasesIn(directory, config, ports), sessionId, config);
      const close = async () => {
        await opened.close().finally(() => mirror?.flush());
        if (temporary !== undefined) await clearUp(temporary, ports.files);
      };
      return { ...opened, close };
    },
  };
}

/** undefined: the session is not kept in files. */
export function directoryOf(config: QueryEngineConfig): string | undefined {
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
  const rewound = resume === undefined ? undefined : await rewindOf(store, resume, config);
  const lease = await leases?.acquire(sessionId, { takeOver: config.takeOver === true });
  try {
    // Taken over first and read then: whatever an earlier owner still wrote is seen, or refused by the fence.
    const writer = await createJournalWriter({ store, sessionId, durability });
    if (rewound !== undefined && rewound.dropped.length > 0 && !forks)
      await writer.append([rewindRecord(config.resumeSessionAt as string, rewound.dropped, writer.epoch)]);
    if (config.title !== undefined && resume === undefined) await writer.append([titleRecord(config.title)]);
    const entries = resume === undefined ? undefined : await readEntries(store, resume);
    const earlier = entries && resumeSession(forks ? (rewound?.kept ?? entries) : entries);
    const recovered = earlier && (forks ? forkOf(earlier) : recoveredFrom(earlier, config));
    if (earlier !== undefined && forks) {
      const submission = `fork/${resume}`;
      const history = [...(recovered?.view ?? [])];
      await writer.append(
        history.map((message) =>
          message.type === 'assistant'
            ? { ...message, submission, iteration: 0 }
            : { ...message, submission },
        ),
      );
    }
    return {
      recorder: writer,
      earlierLives: writer.epoch - 1,
      recovered,
      lost: lease === undefined ? writer.fenced : AbortSignal.any([writer.fenced, lease.signal]),
      async close() {
        // Records that a full disk refused must not keep the session locked as well.
        await writer.close().finally(() => lease?.release());
      },
    };
  } catch (error) {
    await lease?.release();
    throw error;
  }
}

async function rewindOf(
  store: JournalStore,
  resume: string,
  { resumeSessionAt, resumeDropsTurn, stderr }: QueryEngineConfig,
): Promise<Rewound | undefined> {
  if (resumeSessionAt === undefined) return undefined;
  try {
    return rewoundTo(await readEntries(store, resume), resumeSessionAt, resumeDropsTurn);
  } catch (error) {
    if (error instanceof TurnwrightError && error.code === 'resume_rejected') stderr?.(error.message);
    throw error;
  }
}

function rewindRecord(to: string, uuids: readonly string[], epoch: number): JournalBody {
  const submission = `rewind/${epoch}`;
  return { type: 'rewind', id: submission, submission, to, uuids };
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
  throw new TurnwrightError('session_not_found', `There is no session ${sessionId} to resume.`);
}

function recoveredFrom(earlier: ResumedSession, config: QueryEngineConfig): Recovered {
  const { open, view, totals, todos, tasks, loadedTools, plan, snipped, consumed } = earlier;
  const known = { view, totals, todos, tasks, loadedTools, plan, snipped, consumed };
  const taskRemaining = config.taskBudget && Math.max(0, config.taskBudget.total - earlier.compactedTokens);
  if (open === undefined) return { ...known, taskRemaining };
  const { records, carryOn } = carryOnInterrupted(open);
  const interrupted = {
    submission: open.id,
    carryOn,
    startAt: { iteration: open.iteration, turnCount: open.turnCount, carried: open.carried },
    usages: open.usages,
    switched: open.switched,
    lent: open.lent,
    denied: open.denied,
    answers: open.asks.flatMap(({ toolUseId, answer }) =>
      answer === undefined ? [] : [{ toolUseId, answer }],
    ),
    terminal: open.terminal,
    said: open.said,
    closing: closeInterrupted(open),
    reopening: records,
  };
  return { ...known, taskRemaining, interrupted };
}

/** The other session's conversation, closed for good; its cost stays its own. */
function forkOf(earlier: ResumedSession): Recovered {
  const view = createSessionView(earlier.view);
  if (earlier.open !== undefined) view.apply(closeInterrupted(earlier.open));
  const { todos, loadedTools, plan, snipped } = earlier;
  return { view: view.messages, todos, loadedTools, plan, snipped };
}
