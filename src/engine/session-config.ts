/** Which session an engine runs, and where it is kept. */
import type { JournalStore } from '../protocol/ports.ts';
import type { SDKSessionStateChanged, SessionStateAudience } from '../protocol/session-messages.ts';
import type { SessionStore, SessionStoreEntry, SessionStoreFlush } from '../protocol/session-store.ts';

export interface SessionConfig {
  /** UUID of the session; default a fresh one. */
  sessionId?: string | undefined;
  /** Session to go on with; its journal must be in the store. */
  resume?: string | undefined;
  /** With `resume`: go on under a new id and leave the old session as it is. */
  forkSession?: boolean | undefined;
  /** With `resume`: uuid of the last message that counts; what came after it is never sent again. */
  resumeSessionAt?: string | undefined;
  /** With `resumeSessionAt`: uuid of the one prompt whose turn may be lost by it; anything else is refused. */
  resumeDropsTurn?: string | undefined;
  /** Take the session from a process that works on it; that one ends silently. Default false. */
  takeOver?: boolean | undefined;
  /** Name of a new session. */
  title?: string | undefined;
  /** `process`: survives SIGKILL. `power`: fdatasync at intent and result. Default `process`. */
  durability?: 'process' | 'power' | undefined;
  /** false: the journal stays in memory. Default true, unless no `home` and no `store` is given. */
  persistSession?: boolean | undefined;
  /** Configuration home, under which session files live. */
  home?: string | undefined;
  /** Folder of the session files; default the one of `cwd` under `home`. */
  sessionsDirectory?: string | undefined;
  store?: JournalStore | undefined;
  /** Gets a copy of what is written to the session's files; what is resumed comes from it. */
  sessionStore?: SessionStore | undefined;
  /** Default `batched`. */
  sessionStoreFlush?: SessionStoreFlush | undefined;
  /** Of each read of `sessionStore`, in ms. Default 60 000. */
  loadTimeoutMs?: number | undefined;
  /** Told of each write to the session's files, once it was made. */
  onTranscript?: ((filePath: string, entries: readonly SessionStoreEntry[]) => void) | undefined;
  /** Who gets `session_state_changed` messages; default no one. */
  sessionState?: SessionStateAudience | undefined;
  /** Gets them at once, in place of the consumer of messages. Default: the consumer gets those that are for everyone. */
  onSessionState?: ((message: SDKSessionStateChanged) => void) | undefined;
}
