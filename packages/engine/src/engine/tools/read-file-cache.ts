import type { ReadFileCache, ReadFileState } from '../../protocol/tools/tool.ts';

/** Which files this session has read; the latest last. */
export function createReadFileCache(): ReadFileCache {
  return new SeenFiles();
}

const NONE: ReadonlyMap<string, ReadFileState> = new Map();

class SeenFiles implements ReadFileCache {
  #seen: Map<string, ReadFileState> | undefined;

  get(path: string): ReadFileState | undefined {
    return this.#seen?.get(path);
  }

  set(path: string, state: ReadFileState): void {
    this.#seen ??= new Map();
    this.#seen.delete(path); // the latest last
    this.#seen.set(path, state);
  }

  delete(path: string): void {
    this.#seen?.delete(path);
  }

  entries(): MapIterator<[string, ReadFileState]> {
    return (this.#seen ?? NONE).entries();
  }
}
