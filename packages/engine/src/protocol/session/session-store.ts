/**
 * A second copy of transcripts in a store of the host. Entries are the lines of the session file, opaque to
 * the store.
 */

/** Names one transcript: of a session, or with `subpath` of a subagent of it. */
export interface SessionKey {
  /** Default: the folder name of the working directory. A host may use it for a tenant. */
  readonly projectKey: string;
  readonly sessionId: string;
  /** As on disk, without extension: `subagents/agent-<id>`. */
  readonly subpath?: string | undefined;
}

/** One record of a transcript; fields beyond these depend on `type`. */
export interface SessionStoreEntry {
  readonly type: string;
  /** Identity of the entry: a store ignores one that it already has. */
  readonly uuid?: string;
  /** ISO 8601, UTC. */
  readonly timestamp?: string;
  readonly [field: string]: unknown;
}

/** Data that a store keeps beside a transcript so that listing needs no reading. `data` is opaque to it. */
export interface SessionSummaryEntry {
  readonly sessionId: string;
  /** Time of the store's last write, ms since 1970. */
  readonly mtime: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * A host's copy of sessions. `sessionStoreChecks` of `turnwright/testing` tests an implementation.
 *
 * @example
 * ```ts
 * const kept = new Map<string, SessionStoreEntry[]>();
 * const place = ({ sessionId, subpath = '' }: SessionKey) => `${sessionId}/${subpath}`;
 * const store: SessionStore = {
 *   async append(key, entries) {
 *     const old = kept.get(place(key)) ?? [];
 *     const known = new Set(old.map(({ uuid }) => uuid).filter((id) => id !== undefined));
 *     kept.set(place(key), [...old, ...entries.filter(({ uuid = '' }) => !known.has(uuid))]);
 *   },
 *   load: async (key) => kept.get(place(key)) ?? null,
 * };
 * ```
 */
export interface SessionStore {
  /** Called in order. A rejected call is retried, so entries with a known `uuid` must be ignored. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /**
   * `null` if it was never written. Entries are deeply equal to those appended; the order of keys may differ.
   */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  /** Sessions of a project; `mtime` in ms since 1970. Without it sessions cannot be listed. */
  listSessions?(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  /** Deletes a transcript. */
  delete?(key: SessionKey): Promise<void>;
  /** Subpaths of a session: the transcripts of its subagents. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}

/**
 * `batched`: about every 100 ms and at the end of a turn. `eager`: each write immediately, as a batch of its
 * own.
 */
export type SessionStoreFlush = 'batched' | 'eager';
