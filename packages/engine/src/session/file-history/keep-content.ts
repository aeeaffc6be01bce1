/** A content store by hash, with limits: file contents before a tool changed them. */
import { basename, dirname, join } from 'node:path';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { FileStat, PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { BlobStore } from '../../protocol/ports.ts';
import type { KeptContent } from '../../protocol/session/file-history.ts';

/** Larger files are not stored: hardly any text file is. */
export const MAX_KEPT_FILE_BYTES = 32 * 1024 * 1024;
/** Limit per session, above which no further content is stored. */
export const MAX_KEPT_BYTES = 1024 * 1024 * 1024;

/** Larger files are not read. */
const MAX_READ_BYTES = 128 * 1024 * 1024;

const PERMISSIONS = 0o7777;

export interface ContentNow {
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly stat: FileStat;
}

export interface ContentKeeper {
  /** Stores the content, once. Rejects with errors of the disk. */
  keep(content: ContentNow): Promise<KeptContent>;
  /** undefined: missing, or different from what was stored. */
  bytesOf(hash: string): Promise<Uint8Array | undefined>;
}

export function createContentKeeper(
  blobs: BlobStore,
  /** Bytes that a previous process of the session stored. */
  keptBefore: () => Promise<number>,
  limits: { readonly fileBytes: number; readonly totalBytes: number },
): ContentKeeper {
  const known = new Map<string, Promise<unknown>>();
  let total: Promise<number> | undefined;
  let added = 0;
  return {
    async keep({ hash, bytes, stat }) {
      const kept = { hash, mode: stat.mode & PERMISSIONS };
      if (known.has(hash)) {
        await known.get(hash);
        return kept;
      }
      total ??= keptBefore();
      const used = (await total) + added;
      if (bytes.length > limits.fileBytes || used + bytes.length > limits.totalBytes)
        return { ...kept, lost: true };
      added += bytes.length;
      const putting = blobs.put(hash, bytes);
      known.set(hash, putting);
      await putting.catch((error: unknown) => {
        known.delete(hash);
        added -= bytes.length;
        throw error;
      });
      return kept;
    },
    async bytesOf(hash) {
      const bytes = await blobs.get(hash).catch(() => undefined);
      return bytes !== undefined && sha256(bytes) === hash ? bytes : undefined;
    },
  };
}

/** `real` is resolved. null: the file does not exist. undefined: not a regular file, or too large. */
export async function readContentNow(
  real: string,
  files: PersistentFiles,
): Promise<ContentNow | null | undefined> {
  const found = await files.readPlain(real, MAX_READ_BYTES);
  if (found === undefined) return null;
  const { stat, bytes } = found;
  return bytes && { hash: sha256(bytes), bytes, stat };
}

/** The resolved path; for a missing file, its folder is resolved. */
export async function resolveRealPath(path: string, files: PersistentFiles): Promise<string> {
  try {
    return await files.realpath(path);
  } catch {
    return files.realpath(dirname(path)).then(
      (folder) => join(folder, basename(path)),
      () => path,
    );
  }
}
