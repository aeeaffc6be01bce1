import { join } from 'node:path';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { BlobStore } from '../../protocol/ports.ts';

/**
 * Spilled results as files of one folder (`<id>/tool-results/`), 0600. `put` returns the file's path; the
 * same key replaces. `get` throws `storage_error` when there is no such blob.
 */
export function createFileBlobStore(options: {
  readonly files: PersistentFiles;
  readonly directory: string;
}): BlobStore {
  const { files, directory } = options;
  return {
    async put(key, bytes) {
      const path = join(directory, fileName(key));
      await files.makeDir(directory, 0o700);
      await files.writeAtomic(path, bytes, { mode: 0o600 });
      return path;
    },
    async get(key) {
      const path = join(directory, fileName(key));
      if ((await files.stat(path)) === undefined) throw missing(key);
      return files.readFile(path);
    },
  };
}

/** `put` returns the key. */
export function createMemoryBlobStore(): BlobStore {
  const blobs = new Map<string, Uint8Array>();
  return {
    async put(key, bytes) {
      blobs.set(key, Uint8Array.from(bytes));
      return key;
    },
    async get(key) {
      const bytes = blobs.get(key);
      if (bytes === undefined) throw missing(key);
      return Uint8Array.from(bytes);
    },
  };
}

const PLAIN = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,119}$/;

/**
 * Each key has a file of its own; a key that is not a valid file name keeps its readable part and gets a
 * hash.
 */
function fileName(key: string): string {
  if (PLAIN.test(key)) return key;
  const readable = key.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(-80);
  return `${readable}-${sha256(key).slice(0, 16)}`;
}

const missing = (key: string): TurnwrightError =>
  new TurnwrightError('storage_error', `There is no stored result "${key}" in this session.`);
