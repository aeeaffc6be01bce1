/** Contents by hash, up to a bound: what a file held before a tool changed it. */
import { basename, dirname, join } from 'node:path';
import type { KeptContent } from '../../protocol/file-history.ts';
import type { FileStat, PersistentFiles } from '../../protocol/files.ts';
import type { BlobStore } from '../../protocol/ports.ts';
import { sha256 } from '../../util/ids/sha256.ts';

/** A file beyond this is not kept: nothing that a person writes is as long. */
export const MAX_KEPT_FILE_BYTES = 32 * 1024 * 1024;
/** Of one session. Beyond it no further content is kept. */
export const MAX_KEPT_BYTES = 1024 * 1024 * 1024;

/** A file beyond this is not looked at. */
const MAX_READ_BYTES = 128 * 1024 * 1024;

const PERMISSIONS = 0o7777;

export interface ContentNow {
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly stat: FileStat;
}

export interface ContentKeeper {
  /** Puts it where it can be read again, once. Throws what the disk says. */
  keep(content: ContentNow): Promise<KeptContent>;
  /** undefined: it is not there, or not what was kept. */
  bytesOf(hash: string): Promise<Uint8Array | undefined>;
}

export function createContentKeeper(
  blobs: BlobStore,
  /** Bytes that an earlier life of the session kept. */
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

/** `real` has no links. null: there is no file. undefined: what is there is no regular file, or too long to be one's work. */
export async function contentOf(
  real: string,
  files: PersistentFiles,
): Promise<ContentNow | null | undefined> {
  const found = await files.readPlain(real, MAX_READ_BYTES);
  if (found === undefined) return null;
  const { stat, bytes } = found;
  return bytes && { hash: sha256(bytes), bytes, stat };
}

/** The path without links; of a file that is not there, as far as its folder is. */
export async function realPathOf(path: string, files: PersistentFiles): Promise<string> {
  try {
    return await files.realpath(path);
  } catch {
    return files.realpath(dirname(path)).then(
      (folder) => join(folder, basename(path)),
      () => path,
    );
  }
}
