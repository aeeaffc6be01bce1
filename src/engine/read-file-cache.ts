import type { ReadFileCache, ReadFileState } from '../protocol/tool.ts';

/** Which files this session has read; the latest last. */
export function createReadFileCache(): ReadFileCache {
  const seen = new Map<string, ReadFileState>();
  return {
    get: (path) => seen.get(path),
    set(path, state) {
      seen.delete(path); // the latest last
      seen.set(path, state);
    },
    delete: (path) => void seen.delete(path),
    entries: () => seen.entries(),
  };
}
