/** Session functions of the library: defaults are the process's own folder and environment. */
import type * as catalog from '../engine/standalone/session-catalog.ts';
import type { ContextUsage } from '../protocol/context-usage.ts';
import type { DecisionRecord } from '../protocol/decision-record.ts';
import type { SessionStore } from '../protocol/session-store.ts';
import { type Place, placeOf } from './process-place.ts';

export { configurationHome, sessionsDirectory } from '../engine/standalone/session-files.ts';
export { foldSessionSummary, InMemorySessionStore } from '../engine/standalone/session-stores.ts';

export type SDKSessionInfo = catalog.SessionInfo;
export type SessionMessage = catalog.SessionMessage;

/** Of functions that look at how one session went. */
export interface SessionOptions {
  /** Default the caller's. */
  readonly cwd?: string | undefined;
  /** Names the configuration home; default the process's own environment. */
  readonly env?: Place['env'] | undefined;
}

/** Of functions that work on sessions, running or not. */
export interface SessionMutationOptions {
  /** Folder that the sessions ran in; default: every session of the home. */
  readonly dir?: string | undefined;
  /** Instead of session files. */
  readonly sessionStore?: SessionStore | undefined;
  /** Names the configuration home; default the process's own environment. */
  readonly env?: Place['env'] | undefined;
}

export type GetSessionInfoOptions = SessionMutationOptions;
export type ListSubagentsOptions = SessionMutationOptions;
export type ListSessionsOptions = SessionMutationOptions &
  catalog.ListPage & {
    /** Of `dir`: sessions of all working trees of its repository. Default true. */
    readonly includeWorktrees?: boolean | undefined;
  };
export type GetSessionMessagesOptions = SessionMutationOptions & catalog.MessagePage;
export type GetSubagentMessagesOptions = SessionMutationOptions &
  Omit<catalog.MessagePage, 'includeSystemMessages'>;
/** What is to be erased: everything that a message says, or a text wherever it occurs. */
export type EraseRequest = catalog.EraseRequest;
export type ForkSessionOptions = SessionMutationOptions & catalog.ForkRequest;
export type ImportSessionToStoreOptions = Omit<SessionMutationOptions, 'sessionStore'> &
  catalog.ImportOptions;

// Loaded by the first of these calls: a program that only runs agents has no use for them.
const loadCatalog = () => import('../engine/standalone/session-catalog.ts');
const loadRecord = () => import('../engine/standalone/inspect-session.ts');

const placeFor = ({ dir, sessionStore, env }: SessionMutationOptions): catalog.CatalogPlace => ({
  ...placeOf({ env }),
  dir,
  sessionStore,
});

/** Sessions that have a prompt or a name, newest first. */
export async function listSessions(options: ListSessionsOptions = {}): Promise<SDKSessionInfo[]> {
  return [...(await (await loadCatalog()).listSessions(placeFor(options), options))];
}

/** undefined: there is no such session, or nothing was asked in it. */
export async function getSessionInfo(
  sessionId: string,
  options: GetSessionInfoOptions = {},
): Promise<SDKSessionInfo | undefined> {
  return (await loadCatalog()).sessionInfo(placeFor(options), sessionId);
}

/** What was said, in order; nothing when there is no such session. */
export async function getSessionMessages(
  sessionId: string,
  options: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  return [...(await (await loadCatalog()).sessionMessages(placeFor(options), sessionId, options))];
}

/** Ids of the subagents of a session. */
export async function listSubagents(
  sessionId: string,
  options: ListSubagentsOptions = {},
): Promise<string[]> {
  return [...(await (await loadCatalog()).listSubagents(placeFor(options), sessionId))];
}

/** What a subagent and its task said, in order; nothing when there is no such subagent. */
export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: GetSubagentMessagesOptions = {},
): Promise<SessionMessage[]> {
  return [...(await (await loadCatalog()).subagentMessages(placeFor(options), sessionId, agentId, options))];
}

/** Also while it runs. Rejects with `session_not_found`. */
export async function renameSession(
  sessionId: string,
  title: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  return (await loadCatalog()).renameSession(placeFor(options), sessionId, title);
}

/** `null` takes the tag away. Rejects with `session_not_found`. */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionMutationOptions = {},
): Promise<void> {
  return (await loadCatalog()).tagSession(placeFor(options), sessionId, tag);
}

/** Marks it; it stays where it is. Rejects with `session_not_found`, and with `invalid_option` for a store. */
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
 * With its subagents, kept results and file checkpoints. Rejects with `session_not_found`, and with `session_in_use`
 * while a process works on it. Of a store that cannot delete, nothing.
 */
export async function deleteSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  return (await loadCatalog()).deleteSession(placeFor(options), sessionId);
}

/**
 * Takes a text out of everything that a session keeps: its records, its subagents', kept results. `[erased]` takes its
 * place, in later requests too. With `messageId` everything that this message says, with `text` this text wherever it
 * occurs. Contents of files that are kept for `rewindFiles` stay.
 *
 * @returns the number of records that were changed.
 * @throws `session_not_found`; `session_in_use` while a process works on it; `invalid_option` for a message that it does
 * not have, a text of fewer than four characters, or a store without `delete`.
 * @example await eraseFromSession(sessionId, { text: pastedKey });
 */
export async function eraseFromSession(
  sessionId: string,
  request: EraseRequest,
  options: SessionMutationOptions = {},
): Promise<number> {
  return (await loadCatalog()).eraseFromSession(placeFor(options), sessionId, request);
}

/** A copy under a new id, up to a message or whole. Rejects with `session_not_found`, or `invalid_option`. */
export async function forkSession(
  sessionId: string,
  options: ForkSessionOptions = {},
): Promise<{ readonly sessionId: string }> {
  return (await loadCatalog()).forkSession(placeFor(options), sessionId, options);
}

/** Copies a session, and its subagents, into a store. Rejects with `session_not_found`. */
export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options: ImportSessionToStoreOptions = {},
): Promise<void> {
  return (await loadCatalog()).importSession(placeFor(options), sessionId, store, options);
}

/** Why each iteration of a session ended as it did, as text; default the newest of `cwd`. Rejects with `session_not_found`. */
export async function explainSession(sessionId?: string, options: SessionOptions = {}): Promise<string> {
  return (await loadRecord()).explainSession(sessionId, placeOf(options));
}

/**
 * The decision records of a session in order, one for each iteration that came to its end: what `explainSession` tells,
 * as data. Default the newest of `cwd`. Rejects with `session_not_found`.
 */
export async function sessionDecisions(
  sessionId?: string,
  options: SessionOptions = {},
): Promise<readonly DecisionRecord[]> {
  return (await loadRecord()).sessionDecisions(sessionId, placeOf(options));
}

/** What filled the context when the session last stood still; default the newest of `cwd`. Rejects with `session_not_found`. */
export async function sessionContext(
  sessionId?: string,
  options: SessionOptions = {},
): Promise<ContextUsage> {
  return (await loadRecord()).sessionContext(sessionId, placeOf(options));
}
