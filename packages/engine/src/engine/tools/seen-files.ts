/**
 * Files that the model has seen, read again on its behalf: where they were then, and as long as no rule
 * denies it.
 */

import { PathMovedError } from '@turnwright/base/files/plain-path.ts';
import { realPath } from '@turnwright/base/files/real-path.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { ReadFileCache } from '../../protocol/tools/tool.ts';

interface SeenFileParts {
  readonly files: PersistentFiles;
  readonly readFileCache: Pick<ReadFileCache, 'get'>;
  readonly permissions: { readonly permissions: Pick<Permissions, 'readFilter'> };
}

/** No file is shown again whose size is beyond this. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reading rejects where a file is not to be shown. */
export class SeenFiles implements Pick<PersistentFiles, 'stat' | 'readFile' | 'readRange'> {
  readonly #cwd: string;
  readonly #parts: SeenFileParts;

  constructor(cwd: string, parts: SeenFileParts) {
    this.#cwd = cwd;
    this.#parts = parts;
  }

  stat(path: string): ReturnType<PersistentFiles['stat']> {
    return this.#parts.files.stat(path);
  }

  readFile(path: string): Promise<Uint8Array> {
    return this.#read(path, MAX_BYTES, false);
  }

  async readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
    return (await this.#read(path, offset + length, true)).subarray(offset);
  }

  async #read(path: string, maxBytes: number, cut: boolean): Promise<Uint8Array> {
    const { files, permissions, readFileCache } = this.#parts;
    const real = await realPath(files, path);
    const then = readFileCache.get(path)?.real ?? real;
    if (real === undefined || real !== then) throw new PathMovedError(path);
    const isDenied = permissions.permissions.readFilter({ cwd: this.#cwd });
    if ((await isDenied?.(path)) === true) throw new Error(`A rule denies reading ${path}.`);
    const { bytes } = (await files.readPlain(real, maxBytes, { cut })) ?? {};
    if (bytes === undefined) throw new Error(`${path} is no file that can be shown.`);
    return bytes;
  }
}
