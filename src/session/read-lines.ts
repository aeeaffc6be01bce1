import type { PersistentFiles } from '../protocol/files.ts';

export interface FileLine {
  /** Without its newline, until the next part of the file is asked for. Empty, with `tooLong`, when it was passed over. */
  readonly bytes: Buffer;
  readonly start: number;
  /** Offset behind the newline, or of the end of the file. */
  readonly end: number;
  /** A newline stands behind it. */
  readonly complete: boolean;
  readonly tooLong: boolean;
}

/** Of the first read; each further one is twice as long. */
const CHUNK_BYTES = 256 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 10;

interface ReadLinesOptions {
  readonly start?: number;
  readonly maxLineBytes: number;
}

/** The lines of a file from `start` up to the end it had when reading began; memory is bounded by the longest line. */
export async function* readLines(
  files: PersistentFiles,
  path: string,
  options: ReadLinesOptions,
): AsyncGenerator<FileLine> {
  for await (const lines of readLinesAtOnce(files, path, options)) yield* lines;
}

/** The same, with the lines of one read together. */
export async function* readLinesAtOnce(
  files: PersistentFiles,
  path: string,
  options: ReadLinesOptions,
): AsyncGenerator<readonly FileLine[]> {
  const size = (await files.stat(path))?.size ?? 0;
  let lineStart = options.start ?? 0;
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

  for await (const chunk of chunksOf(files, path, offset, size)) {
    const lines: FileLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      lines.push(take(chunk.subarray(from, at), offset + at + 1, true));
      from = at + 1;
    }
    yield lines;
    const rest = chunk.subarray(from);
    partBytes += rest.length;
    if (partBytes > options.maxLineBytes) {
      tooLong = true;
      parts = [];
    } else if (rest.length > 0) parts.push(Buffer.from(rest)); // a copy: the part is read over
    offset += chunk.length;
  }
  if (lineStart < offset) yield [take(Buffer.alloc(0), offset, false)];
}

/**
 * From the second on the next one is read while one is looked through: who only looks at the head reads no more. Two
 * buffers take turns, for a long file read into fresh ones costs a collection of all garbage.
 */
async function* chunksOf(
  files: PersistentFiles,
  path: string,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  let spare: Buffer = Buffer.alloc(0);
  const read = (offset: number, length: number) => {
    if (offset >= end) return undefined;
    const bytes = Math.min(length, end - offset);
    const into = spare.length < bytes ? Buffer.allocUnsafeSlow(bytes) : spare;
    const reading = files.readRange(path, offset, bytes, into);
    reading.catch(() => undefined); // heard of when it is waited for
    return reading;
  };
  let offset = start;
  let length = CHUNK_BYTES;
  for (let reading = read(offset, length), ahead = false; reading !== undefined; ahead = true) {
    const chunk = asBuffer(await reading);
    if (chunk.length === 0) return;
    offset += chunk.length;
    length = Math.min(2 * length, MAX_CHUNK_BYTES);
    const next = ahead ? read(offset, length) : undefined;
    yield chunk;
    spare = chunk;
    reading = next ?? read(offset, length);
  }
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
