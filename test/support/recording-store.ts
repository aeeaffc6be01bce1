/** In the place of the recording store of tests: the same, and its records are kept. */
import type {
  RecordingStore,
  RecordingStoreOptions,
} from '../../packages/testing/src/testing/recording-store.ts';
import { recordingStore as create } from '../../packages/testing/src/testing/recording-store.ts';
import { keepRecords, nameStore } from './keep-sessions.ts';

export * from '../../packages/testing/src/testing/recording-store.ts';

export function recordingStore(options: RecordingStoreOptions = {}): RecordingStore {
  const store = create(options);
  const name = nameStore();
  const append: RecordingStore['append'] = async (sessionId, ...given) => {
    const before = store.entries(sessionId).length;
    const written = await store.append(sessionId, ...given);
    keepRecords(name, sessionId, store.entries(sessionId).slice(before));
    return written;
  };
  return { ...store, append };
}
