/** Where transcripts are: in the files of a home, or in a store of the host's. Everything else works on either. */
import type { JournalEntry } from '../../protocol/journal.ts';
import type { SessionStoreEntry } from '../../protocol/session-store.ts';
import type { SessionInfo } from '../session-info.ts';

export interface Transcripts {
  /** Newest first; sidechains and sessions without a prompt or a name left out. */
  list(page: ListPage): Promise<readonly SessionInfo[]>;
  info(sessionId: string): Promise<SessionInfo | undefined>;
  /** In order; undefined: there is no such transcript. `subpath`: a subagent's. */
  entries(sessionId: string, subpath?: string): Promise<readonly JournalEntry[] | undefined>;
  /** The same as they are kept, line by line, also those that mean nothing here. */
  lines(sessionId: string, subpath?: string): Promise<SessionStoreEntry[] | undefined>;
  /** The subagents' own. */
  subpaths(sessionId: string): Promise<readonly string[]>;
  /** What was written beside a subagent's transcript about it. */
  meta(sessionId: string, subpath: string): Promise<Readonly<Record<string, unknown>>>;
  /** Rejects with `session_not_found`. */
  append(sessionId: string, entries: readonly SessionStoreEntry[]): Promise<void>;
  /** A new transcript, beside the one of `besideId`. Lines as they are to be kept. */
  create(sessionId: string, lines: readonly string[], besideId: string): Promise<void>;
  /** Changes records and what is kept beside them. The number of changed records. Rejects like `remove`. */
  rewrite(sessionId: string, erasure: Erasure): Promise<number>;
  /** With all that belongs to it. Rejects with `session_not_found`, or `session_in_use` while a process runs it. */
  remove(sessionId: string): Promise<void>;
  /** Rejects with `session_not_found`; a store, which has no place for it, with `invalid_option`. */
  setArchived(sessionId: string, archived: boolean, nowMs: number): Promise<void>;
}

/** How a record and a file of text are to be rewritten; what comes back as it was is left alone. */
export interface Erasure {
  record(record: SessionStoreEntry): SessionStoreEntry;
  text(text: string): string;
}

export interface ListPage {
  /** Default all. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** false: without those that other programs ran. Default true. */
  readonly includeProgrammatic?: boolean | undefined;
}

export const subagentPath = (agentId: string): string => `subagents/agent-${agentId}`;

/** undefined: the path is no subagent's. */
export function agentOf(subpath: string): string | undefined {
  return /^(?:.*\/)?agent-([^/]+)$/.exec(subpath)?.[1];
}
