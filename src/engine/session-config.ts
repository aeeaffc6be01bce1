/** Which session an engine runs, and where it is kept. */
import type { JournalStore } from '../protocol/ports.ts';
import type { SessionStoreEntry } from '../protocol/session/session-store.ts';
import type { SDKSessionStateChanged, SessionStateAudience } from '../protocol/stream/session-messages.ts';

export interface SessionConfig {
  /** Take the session from a process that works on it; that one ends silently. Default false. */
  takeOver?: boolean | undefined;
  /** `process`: survives SIGKILL. `power`: fdatasync at intent and result. Default `process`. */
  durability?: 'process' | 'power' | undefined;
  /** Configuration home, under which session files live. */
  home?: string | undefined;
  /** Folder of the session files; default the one of `cwd` under `home`. */
  sessionsDirectory?: string | undefined;
  store?: JournalStore | undefined;
  /** Told of each write to the session's files, once it was made. */
  onTranscript?: ((filePath: string, entries: readonly SessionStoreEntry[]) => void) | undefined;
  /** Who gets `session_state_changed` messages; default no one. */
  sessionState?: SessionStateAudience | undefined;
  /** Gets them at once, in place of the consumer of messages. Default: the consumer gets those that are for everyone. */
  onSessionState?: ((message: SDKSessionStateChanged) => void) | undefined;
}
