import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { MAX_LINE_BYTES } from './envelope.ts';

export interface FileLine {
  /**
   * Without its newline, valid until the next part of the file is read. Empty, with `tooLong`, when it was
   * skipped.
   */
  readonly bytes: Buffer;
  readonly start: number;
  /** Offset behind the newline, or of the end of the file. */
  readonly end: number;
  /** A newline follows it. */
  readonly complete: boolean;
  readonly tooLong: boolean;
}

/** Fits into a processor's cache. */
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;

interface ReadLinesOptions {
  readonly start?: number;
  /** Longer lines are skipped. Default: the longest line that a journal can have. */
  readonly maxLineBytes?: number;
}

/**
 * The lines of a file from `start` up to the end it had when reading began; memory is bounded by the longest
 * line.
 */
export async function* readLines(
  files: PersistentFiles,
  path: string,
  options: ReadLinesOptions = {},
): AsyncGenerator<FileLine> {
  for await (const lines of readLinesAtOnce(files, path, options)) yield* lines;
}

/** The same, with the lines of one read together. */
export async function* readLinesAtOnce(
  files: PersistentFiles,
  path: string,
  options: ReadLinesOptions,
): AsyncGenerator<readonly FileLine[]> {
  const { start = 0, maxLineBytes = MAX_LINE_BYTES } = options;
  const size = (await files.stat(path))?.size ?? 0;
  let lineStart = start;
  let offset = lineStart;
  let parts: Buffer[] = [];
  let partBytes = 0;
  let tooLong = false;

  const take = (rest: Buffer, end: number, complete: boolean): FileLine => {
    const bytes = tooLong ? Buffer.alloc(0) : parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
    const line: FileLine = { bytes, start: lineStart, end, complete, tooLong };
    lineStart = end;
    parts = [];
    partBytes = 0;
    tooLong = false;
    return line;
  };

  for await (const chunk of readParts(files, path, offset, size)) {
    const lines: FileLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      lines.push(take(chunk.subarray(from, at), offset + at + 1, true));
      from = at + 1;
    }
    yield lines;
    const rest = chunk.subarray(from);
    partBytes += rest.length;
    if (partBytes > maxLineBytes) {
      tooLong = true;
      parts = [];
    } else if (rest.length > 0) parts.push(Buffer.from(rest)); // a copy: the part is read over
    offset += chunk.length;
  }
  if (lineStart < offset) yield [take(Buffer.alloc(0), offset, false)];
}

/** The bytes from `start` to `end`, read into one reused buffer. */
export async function* readParts(
  files: PersistentFiles,
  path: string,
  start: number,
  end: number,
  partBytes = CHUNK_BYTES,
): AsyncGenerator<Buffer> {
  const room = Buffer.allocUnsafeSlow(Math.min(partBytes, Math.max(0, end - start)));
  for (let offset = start; offset < end; ) {
    const bytes = Math.min(partBytes, end - offset);
    const chunk = asBuffer(await files.readRange(path, offset, bytes, room));
    if (chunk.length === 0) return;
    offset += chunk.length;
    yield chunk;
    // Reading is synchronous; other work runs between two parts.
    if (offset < end) await new Promise((resolve) => setImmediate(resolve));
  }
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
