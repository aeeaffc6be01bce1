/** Session functions of the library. Defaults are the process's working directory and environment. */
import type { JournalMapper, JournalMapperOptions } from '../engine/output/from-journal.ts';
import type { ForecastQuestion } from '../engine/standalone/inspect-session.ts';
import type { JournalFormat, RecordsToResume } from '../engine/standalone/journal-format.ts';
import type * as catalog from '../engine/standalone/kept-sessions.ts';
import type {
  EraseRequest,
  SessionMessage,
  SessionOutcome,
  SessionPrompt,
} from '../engine/standalone/kept-sessions.ts';
import type { InspectionSource, OpenInspection } from '../engine/standalone/open-inspection.ts';
import type { DecisionRecord } from '../protocol/session/decision-record.ts';
import type { CostForecast } from '../protocol/session/forecast.ts';
import type { SessionInspection } from '../protocol/session/inspection.ts';
import type { SessionStore } from '../protocol/session/session-store.ts';
import type { SessionCost } from '../protocol/session/spending.ts';
import type { ContextUsage } from '../protocol/stream/context-usage.ts';
import { type ProcessPlace, resolvePlace } from './process-place.ts';

export { InMemorySessionStore } from '../session/host-store/in-memory-session-store.ts';
export { sessionsDirectory } from '../session/paths.ts';
export { foldSessionSummary } from '../session/session-summary.ts';
export { configHome as configurationHome } from '../settings/read/config-home.ts';
export type {
  EraseRequest,
  ForecastQuestion,
  InspectionSource,
  JournalFormat,
  JournalMapper,
  JournalMapperOptions,
  OpenInspection,
  RecordsToResume,
  SessionMessage,
  SessionOutcome,
  SessionPrompt,
};

/** A session in a list: title, first prompt, folder, tag, times in ms since 1970, size in bytes. */
export type SDKSessionInfo = catalog.SessionInfo;

/** Options of functions that read the records of one session. */
export interface SessionOptions {
  /** Default: the process's working directory. */
  readonly cwd?: string | undefined;
  /** Environment that names the configuration home. Default: the process's. */
  readonly env?: ProcessPlace['env'] | undefined;
}

/** For what is shown to others. */
export interface RedactOption {
  /** Contents become letters of the same number and kind; structure and decisions stay. Default false. */
  readonly redact?: boolean | undefined;
}

/** Options of functions that work on sessions, running or not. */
export interface SessionMutationOptions {
  /** Folder that the sessions ran in. Default: all sessions of the configuration home. */
  readonly dir?: string | undefined;
  /** Used instead of session files. */
  readonly sessionStore?: SessionStore | undefined;
  /** Environment that names the configuration home. Default: the process's. */
  readonly env?: ProcessPlace['env'] | undefined;
}

/** Where the session is stored. */
export type GetSessionInfoOptions = SessionMutationOptions;
/** Where the session is stored. */
export type ListSubagentsOptions = SessionMutationOptions;
/** Where sessions are stored, and which part of the list to return. Default: all of it. */
export type ListSessionsOptions = SessionMutationOptions &
  catalog.ListPage & {
    /** With `dir`: includes sessions of all working trees of its repository. Default true. */
    readonly includeWorktrees?: boolean | undefined;
  };
/** Where the session is stored, and which messages to return. Default: all. */
export type GetSessionMessagesOptions = SessionMutationOptions & catalog.MessagePage;
/** Where the session is stored, and which messages to return. Default: all. */
export type GetSubagentMessagesOptions = SessionMutationOptions &
  Omit<catalog.MessagePage, 'includeSystemMessages' | 'includeAttachments'>;
/** The session's place, the last message of the copy, and its title. */
export type ForkSessionOptions = SessionMutationOptions & catalog.ForkRequest;
/** Where the session is stored, and what to copy. */
export type ImportSessionToStoreOptions = Omit<SessionMutationOptions, 'sessionStore'> &
  catalog.ImportOptions;

// Loaded on first use: a program that only runs agents does not need it.
const loadCatalog = () => import('../engine/standalone/kept-sessions.ts');
const loadInspection = () => import('../engine/standalone/open-inspection.ts');
const loadRecord = () => import('../engine/standalone/inspect-session.ts');

const placeFor = ({ dir, sessionStore, env }: SessionMutationOptions): catalog.CatalogPlace => ({
  ...resolvePlace({ env }),
  dir,
  sessionStore,
});

/**
 * Writes and reads journal records as text: for a `JournalStore` that keeps them in a place of its own.
 *
 * @example
 * const format = await journalFormat();
 * const lines = format.linesOf({ sessionId: 's1', cwd: '/work' });
 * const title = { type: 'custom-title', id: 't1', submission: 's1', customTitle: 'A name' } as const;
 * const line = lines.encode(title, { seq: 1, epoch: 1, nowMs: Date.now() });
 * format.decode(line); // the record
 */
export async function journalFormat(): Promise<JournalFormat> {
  return (await import('../engine/standalone/journal-format.ts')).JOURNAL_FORMAT;
}

/**
 * Sessions that have a prompt or a name, newest first.
 *
 * @example
 * ```ts
 * const [newest] = await listSessions({ dir: process.cwd(), limit: 1 });
 * const options: Options = { resume: newest?.sessionId };
 * ```
 */
export async function listSessions(options: ListSessionsOptions = {}): Promise<SDKSessionInfo[]> {
  return [...(await (await loadCatalog()).listSessionsAt(placeFor(options), options))];
}

/** undefined if there is no such session, or it has no prompt. */
export async function getSessionInfo(
  sessionId: string,
  options: GetSessionInfoOptions = {},
): Promise<SDKSessionInfo | undefined> {
  return (await loadCatalog()).readSessionInfoAt(placeFor(options), sessionId);
}

/** The messages of a session, in order; empty if there is no such session. */
export async function getSessionMessages(
  sessionId: string,
  options: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  return [...(await (await loadCatalog()).readSessionMessagesAt(placeFor(options), sessionId, options))];
}

/**
 * The prompts of a session, in order, with what is needed to go back before each of them; empty if there is
 * no such session.
 *
 * @example
 * const last = (await sessionPrompts(sessionId)).at(-1);
 * const options = { resume: sessionId, resumeSessionAt: last?.resumeAt };
 */
export async function sessionPrompts(
  sessionId: string,
  options: GetSessionInfoOptions = {},
): Promise<SessionPrompt[]> {
  return [...(await (await loadCatalog()).readSessionPromptsAt(placeFor(options), sessionId))];
}

/** Ids of the subagents of a session. */
export async function listSubagents(
  sessionId: string,
  options: ListSubagentsOptions = {},
): Promise<string[]> {
  return [...(await (await loadCatalog()).listSubagentsAt(placeFor(options), sessionId))];
}

/** The messages of a subagent and its task, in order; empty if there is no such subagent. */
export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: GetSubagentMessagesOptions = {},
): Promise<SessionMessage[]> {
  return [
    ...(await (await loadCatalog()).readSubagentMessagesAt(placeFor(options), sessionId, agentId, options)),
  ];
}

/** Renames a session, running or not. Rejects with `session_not_found`. */
export async function renameSession(
  sessionId: string,
  title: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  return (await loadCatalog()).renameSessionAt(placeFor(options), sessionId, title);
}

/** Tags a session; `null` removes the tag. Rejects with `session_not_found`. */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionMutationOptions = {},
): Promise<void> {
  return (await loadCatalog()).tagSessionAt(placeFor(options), sessionId, tag);
}

/**
 * Marks a session as archived; its file is not moved. Rejects with `session_not_found`, and with
 * `invalid_option` for a store.
 */
export async function archiveSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  return (await loadCatalog()).setArchived(placeFor(options), sessionId, true);
}

/** Rejects like `archiveSession`. */
export async function unarchiveSession(
  sessionId: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  return (await loadCatalog()).setArchived(placeFor(options), sessionId, false);
}

/**
 * Deletes a session with its subagents, stored results and file checkpoints. Rejects with
 * `session_not_found`, and with `session_in_use` while a process uses it. No effect for a store that cannot
 * delete.
 */
export async function deleteSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  return (await loadCatalog()).deleteSessionAt(placeFor(options), sessionId);
}

/**
 * Erases a text from everything that a session stores: its records, those of its subagents, stored results.
 * `[erased]` replaces it, in later requests too. With `messageId`: the complete content of this message; with
 * `text`: this text wherever it occurs. Contents of files that are kept for `rewindFiles` are not changed.
 *
 * @returns the number of changed records.
 * @throws `session_not_found`; `session_in_use` while a process uses it; `invalid_option` for an unknown
 * message, a text of fewer than four characters, or a store without `delete`.
 * @example await eraseFromSession(sessionId, { text: pastedKey });
 */
export async function eraseFromSession(
  sessionId: string,
  request: EraseRequest,
  options: SessionMutationOptions = {},
): Promise<number> {
  return (await loadCatalog()).eraseFromSessionAt(placeFor(options), sessionId, request);
}

/**
 * Copies a session under a new id, completely or up to a message. Rejects with `session_not_found`, or
 * `invalid_option`.
 *
 * @example
 * ```ts
 * const { sessionId: copy } = await forkSession(sessionId, { title: 'Another way' });
 * ```
 */
export async function forkSession(
  sessionId: string,
  options: ForkSessionOptions = {},
): Promise<{ readonly sessionId: string }> {
  return (await loadCatalog()).forkSessionAt(placeFor(options), sessionId, options);
}

/** Copies a session and its subagents into a store. Rejects with `session_not_found`. */
export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options: ImportSessionToStoreOptions = {},
): Promise<void> {
  return (await loadCatalog()).importSessionAt(placeFor(options), sessionId, store, options);
}

/**
 * Explains, as text, why each iteration of a session ended as it did. Default: the newest session of `cwd`.
 * Rejects with `session_not_found`.
 */
export async function explainSession(
  sessionId?: string,
  options: SessionOptions & RedactOption = {},
): Promise<string> {
  return (await loadInspection()).explainSessionAt(sessionId, resolvePlace(options), options);
}

/**
 * The data behind `explainSession` and the page of `turnwright inspect`: every iteration with its figures and
 * its sentence, agents, costs, and what stands out; no contents. Times are ms since `startedAt`, costs USD.
 * Default: the newest session of `cwd`. Rejects with `session_not_found`.
 *
 * @example
 * const { sentence, dearest, iterations } = await inspectSession();
 * const broken = iterations.filter(({ cacheBreak }) => cacheBreak !== undefined);
 */
export async function inspectSession(
  sessionId?: string,
  options: SessionOptions & RedactOption = {},
): Promise<SessionInspection> {
  return (await loadInspection()).inspectSessionAt(sessionId, resolvePlace(options), options);
}

/** The text of `explainSession`, of data that was read before. */
export async function explainInspection(inspection: SessionInspection): Promise<string> {
  return (await loadInspection()).inspectionText(inspection);
}

/**
 * Follows a session, running or not, without its lease: what `turnwright inspect` serves. Default: the newest
 * session of `cwd`. `source`: another place than the session's files. Rejects with `session_not_found`.
 *
 * @example
 * const inspection = await openInspection(sessionId);
 * while (inspection.data().state === 'running') await inspection.refresh();
 */
export async function openInspection(
  sessionId?: string,
  options: SessionOptions & RedactOption & { readonly source?: InspectionSource | undefined } = {},
): Promise<OpenInspection> {
  return (await loadInspection()).openInspectionAt(sessionId, resolvePlace(options), options);
}

/**
 * The decision records of a session in order, one for each finished iteration: the data behind
 * `explainSession`. Default: the newest session of `cwd`. Rejects with `session_not_found`.
 */
export async function sessionDecisions(
  sessionId?: string,
  options: SessionOptions = {},
): Promise<readonly DecisionRecord[]> {
  return (await loadRecord()).readDecisionsAt(sessionId, resolvePlace(options));
}

/**
 * What a session has cost, in rows that add up: by model, provider, agent and purpose. Default: the newest
 * session of `cwd`. Rejects with `session_not_found`.
 *
 * @example
 * const { totalCostUsd, rows } = await sessionCost();
 * const wasted = rows.filter(({ purpose }) => purpose === 'retry_waste');
 */
export async function sessionCost(sessionId?: string, options: SessionOptions = {}): Promise<SessionCost> {
  return (await loadRecord()).readCostAt(sessionId, resolvePlace(options));
}

/**
 * What a run will probably cost: the range in which runs like it ended, in this folder. `unknown` while there
 * are too few of them. Default: those of `cwd`.
 *
 * @example
 * const forecast = await costForecast({ model: 'opus', prompt: 'Fix the failing test.' });
 * if (forecast.kind === 'range') console.log(forecast.lowUsd, forecast.highUsd, forecast.runs);
 */
export async function costForecast(
  run: ForecastQuestion,
  options: SessionOptions = {},
): Promise<CostForecast> {
  return (await loadRecord()).forecastAt(run, resolvePlace(options));
}

/**
 * Usage of the context window at the last record of the session. Default: the newest session of `cwd`.
 * Rejects with `session_not_found`.
 */
export async function sessionContext(
  sessionId?: string,
  options: SessionOptions = {},
): Promise<ContextUsage> {
  return (await loadRecord()).readContextUsageAt(sessionId, resolvePlace(options));
}

/**
 * Makes the messages that `query()` yields of the journal entries of a session, for programs that follow a
 * session through its `JournalStore`. What is not recorded is missing: stream events, progress, `init`,
 * messages about tasks, hooks and subagents. An assistant message may carry the stop reason and usage of its
 * response where the live one came before these were known, and a large `tool_use_result` is as it was
 * recorded, shortened.
 *
 * @example
 * ```ts
 * async function print(store: JournalStore, sessionId: string) {
 *   const mapper = await createJournalMapper();
 *   for await (const entry of store.read(sessionId))
 *     for (const message of mapper.map(entry)) console.log(message.type, message.uuid);
 * }
 * ```
 */
export async function createJournalMapper(options: JournalMapperOptions = {}): Promise<JournalMapper> {
  const { openJournalMapper } = await import('../engine/output/from-journal.ts');
  return openJournalMapper(options);
}
