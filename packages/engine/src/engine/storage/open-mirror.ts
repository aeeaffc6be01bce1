/** The copy of a session in the host's store, with what is noted and said when the store falls behind. */
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { SessionKey, SessionStore, SessionStoreFlush } from '../../protocol/session/session-store.ts';
import { createStoreMirror, type StoreMirror } from '../../session/host-store/store-mirror.ts';
import { type Acknowledged, entriesAfter, recordUnsent } from '../../session/host-store/unsent-records.ts';
import type { QueryEngineConfig } from '../config.ts';

export { sendUnsent } from '../../session/host-store/unsent-records.ts';

interface MirrorOptions {
  readonly store: SessionStore;
  readonly flush: SessionStoreFlush;
  readonly clock: Clock;
  readonly files: PersistentFiles;
  readonly sessionId: string;
  /** Folder of the session files. */
  readonly directory: string;
  /** Where sessions of this folder are kept; undefined: what the store lacks is not noted. */
  readonly home: string | undefined;
  readonly config: Pick<QueryEngineConfig, 'stderr'>;
  onError(error: string, key: SessionKey): void;
}

export function openMirror(options: MirrorOptions): StoreMirror {
  const { store, flush, clock, files, sessionId, directory, home, config, onError } = options;
  let noting: Promise<void> = Promise.resolve();
  const onBehind = (acknowledged: Acknowledged) => {
    if (home === undefined) return;
    noting = noting
      .then(() => recordUnsent(files, home, sessionId, { directory, acknowledged }))
      .catch((error: unknown) =>
        config.stderr?.(`What the session store lacks was not noted: ${errorText(error)}`),
      );
  };
  const mirror = createStoreMirror({
    store,
    flush,
    clock,
    entriesAfter: (key, after) => entriesAfter(files, directory, key, after),
    onBehind,
    onError,
  });
  return {
    push: (key, entries) => mirror.push(key, entries),
    flush: () => mirror.flush(),
    async close() {
      const isComplete = await mirror.close();
      await noting;
      if (!isComplete)
        config.stderr?.(
          home === undefined
            ? `The session store lacks entries of session ${sessionId}: they are in ${directory}.`
            : `The session store lacks entries of session ${sessionId}: they are sent when it is resumed here.`,
        );
      return isComplete;
    },
  };
}
