/** A second home for transcripts: a host's own store. Entries are the lines of the session file, opaque to it. */

/** Names one transcript: of a session, or with `subpath` of a subagent of it. */
export interface SessionKey {
  /** Default the folder name of the working directory; a host may put a tenant here. */
  readonly projectKey: string;
  readonly sessionId: string;
  /** As on disk, without the ending: `subagents/agent-<id>`. */
  readonly subpath?: string | undefined;
}

export interface SessionStoreEntry {
  readonly type: string;
  /** What makes the same entry the same: a store passes over one that it has. */
  readonly uuid?: string;
  readonly timestamp?: string;
  readonly [field: string]: unknown;
}

/** What a store keeps beside a transcript so that a list needs no reading. `data` is opaque to it. */
export interface SessionSummaryEntry {
  readonly sessionId: string;
  /** When the store wrote it, ms since 1970. */
  readonly mtime: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface SessionStore {
  /** In the order of the calls. A rejection is tried again, so entries with a known `uuid` are passed over. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** `null`: never written. Entries come back deeply equal; their keys may be in another order. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  listSessions?(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  delete?(key: SessionKey): Promise<void>;
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}

/** `batched`: about every 100 ms and at the end of a turn. `eager`: each write at once, as a batch of its own. */
export type SessionStoreFlush = 'batched' | 'eager';
