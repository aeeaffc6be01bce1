/** Copies transcripts to a host's store: after the local write, in order, and without delaying it. */

import type { Clock } from '../../protocol/ports.ts';
import type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
} from '../../protocol/session/session-store.ts';
import { errorText } from '../../util/text/error-text.ts';

interface StoreMirror {
  /** Returns immediately. */
  push(key: SessionKey, entries: readonly SessionStoreEntry[]): void;
  /** Resolves once everything pushed so far is stored, or was given up. Never rejects. */
  flush(): Promise<void>;
}

interface StoreMirrorOptions {
  readonly store: SessionStore;
  readonly flush: SessionStoreFlush;
  readonly clock: Pick<Clock, 'timer' | 'sleep'>;
  /** Called when a batch is given up. */
  onError(error: string, key: SessionKey): void;
}

const BATCH_MS = 100;
const TRIES = 3;
const BACKOFF_MS = 200;
/** A call that is still pending then may succeed later, so it is not repeated. */
const APPEND_TIMEOUT_MS = 60_000;

interface Batch {
  readonly key: SessionKey;
  readonly entries: SessionStoreEntry[];
}

export function createStoreMirror({ store, flush, clock, onError }: StoreMirrorOptions): StoreMirror {
  let pending: Batch[] = [];
  let cancelTimer: (() => void) | undefined;
  let sending: Promise<void> = Promise.resolve();

  const send = (): Promise<void> => {
    cancelTimer?.();
    cancelTimer = undefined;
    const batches = pending;
    pending = [];
    if (batches.length > 0)
      sending = sending.then(async () => {
        for (const batch of batches) await deliver(batch);
      });
    return sending;
  };

  async function deliver({ key, entries }: Batch): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await tryAppend(key, entries);
      if (outcome === 'done') return;
      if (outcome.again && attempt < TRIES) {
        await clock.sleep(BACKOFF_MS * attempt);
        continue;
      }
      onError(outcome.error, key);
      return;
    }
  }

  async function tryAppend(
    key: SessionKey,
    entries: SessionStoreEntry[],
  ): Promise<'done' | { readonly error: string; readonly again: boolean }> {
    const waiting = new AbortController();
    const late = clock.sleep(APPEND_TIMEOUT_MS, waiting.signal).then(
      () => ({ error: `The store took more than ${APPEND_TIMEOUT_MS / 1_000} s.`, again: false }),
      () => 'done' as const,
    );
    const appended = (async () => store.append(key, entries))().then(
      () => 'done' as const,
      (error: unknown) => ({ error: errorText(error), again: true }),
    );
    const outcome = await Promise.race([appended, late]);
    waiting.abort();
    return outcome;
  }

  return {
    push(key, entries) {
      if (flush === 'eager') {
        pending.push({ key, entries: [...entries] });
        void send();
        return;
      }
      const last = pending.at(-1);
      if (last !== undefined && last.key.sessionId === key.sessionId && last.key.subpath === key.subpath)
        last.entries.push(...entries);
      else pending.push({ key, entries: [...entries] });
      cancelTimer ??= clock.timer(BATCH_MS, () => void send());
    },
    flush: send,
  };
}
