/** Reads what a search found. */
import { constants, read } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join } from 'node:path';

/** The bytes of an ordinary file; undefined: it is none, it is larger, or it cannot be read. */
export async function readOrdinary(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stat = await file.stat();
    return stat.isFile() && stat.size <= maxBytes ? await file.readFile() : undefined;
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

/** From its beginning, at most `maxBytes`. The descriptor stays open. */
export async function readDescriptor(fd: number, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < maxBytes; ) {
    const chunk = Buffer.alloc(Math.min(1 << 20, maxBytes - at));
    const count = await new Promise<number>((resolve, reject) => {
      read(fd, chunk, 0, chunk.length, at, (error, bytes) => (error ? reject(error) : resolve(bytes)));
    });
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    at += count;
  }
  return Buffer.concat(chunks);
}

/** All of them, by the time of their last change. */
export async function newestFirst(cwd: string, files: AsyncIterable<string>): Promise<readonly string[]> {
  const dated: { readonly file: string; readonly atMs: number }[] = [];
  for await (const file of files) {
    const stat = await lstat(join(cwd, file)).catch(() => undefined);
    if (stat !== undefined) dated.push({ file, atMs: stat.mtimeMs });
  }
  return dated.sort((a, b) => b.atMs - a.atMs).map(({ file }) => file);
}
