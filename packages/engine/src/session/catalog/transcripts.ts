/** Access to transcripts: in the files of a home, or in a store of the host. */
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { SessionStoreEntry } from '../../protocol/session/session-store.ts';
import type { SessionInfo } from '../session-summary.ts';

export interface Transcripts {
  /** Newest first, without sidechains and sessions without a prompt or a name. */
  list(page: ListPage): Promise<readonly SessionInfo[]>;
  info(sessionId: string): Promise<SessionInfo | undefined>;
  /** In order; undefined if there is no such transcript. `subpath`: of a subagent. */
  entries(sessionId: string, subpath?: string): Promise<readonly JournalEntry[] | undefined>;
  /** The raw lines, including those without a meaning here. */
  lines(sessionId: string, subpath?: string): Promise<SessionStoreEntry[] | undefined>;
  /** Subpaths of the subagents' transcripts. */
  subpaths(sessionId: string): Promise<readonly string[]>;
  /** Metadata stored beside a subagent's transcript. */
  meta(sessionId: string, subpath: string): Promise<Readonly<Record<string, unknown>>>;
  /** Rejects with `session_not_found`. */
  append(sessionId: string, entries: readonly SessionStoreEntry[]): Promise<void>;
  /** Creates a transcript with these lines, beside the one of `besideId`. */
  create(sessionId: string, lines: readonly string[], besideId: string): Promise<void>;
  /**
   * Rewrites records and the files beside them. Returns the number of changed records. Rejects like `remove`.
   */
  rewrite(sessionId: string, erasure: Erasure): Promise<number>;
  /**
   * Removes the transcript and everything that belongs to it. Rejects with `session_not_found`, or
   * `session_in_use` while a process runs it.
   */
  remove(sessionId: string): Promise<void>;
  /** Rejects with `session_not_found`; a store does not support it and rejects with `invalid_option`. */
  setArchived(sessionId: string, archived: boolean, nowMs: number): Promise<void>;
}

/** How a record and a text file are rewritten; unchanged ones are not written. */
export interface Erasure {
  record(record: SessionStoreEntry): SessionStoreEntry;
  text(text: string): string;
}

export interface ListPage {
  /** Default all. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** false: without sessions that other programs ran. Default true. */
  readonly includeProgrammatic?: boolean | undefined;
  /** Adds to each session how it ended and what it has cost. Default false. */
  readonly withOutcome?: boolean | undefined;
}

export const subagentPath = (agentId: string): string => `subagents/agent-${agentId}`;

/** undefined: the path is not one of a subagent. */
export function parseAgentId(subpath: string): string | undefined {
  return /^(?:.*\/)?agent-([^/]+)$/.exec(subpath)?.[1];
}
