/**
 * Output of a process of any size in bounded memory (L2.2): the beginning is kept, and once it exceeds the
 * limit, all of it is written to a spill file. Bytes are decoded here, so that none can break a request.
 */

import { StringDecoder } from 'node:string_decoder';
import type { AppendHandle, PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { newlinesIn, takeEnd, takeStart } from '@turnwright/base/text/cut-text.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';

interface BoundedOutputOptions {
  readonly files: PersistentFiles;
  /** Path of the spill file; called once, when needed. */
  spillFile(): Promise<string>;
  /** Characters that are kept. */
  readonly maxChars: number;
  /** Maximum bytes of the spill file; further output is dropped. */
  readonly maxSpillBytes: number;
}

export interface CollectedOutput {
  /** The first `maxChars` characters. */
  readonly head: string;
  readonly tail: string;
  readonly totalBytes: number;
  readonly complete: boolean;
  readonly spill?: { readonly path: string; readonly bytes: number } | { readonly failed: string };
}

const TAIL_CHARS = 2048;

export class BoundedOutput {
  readonly #options: BoundedOutputOptions;
  readonly #decoder = new StringDecoder('utf8');
  /** Raw bytes since the start, until they are spilled. */
  #unspilled: Uint8Array[] = [];
  #head = '';
  #tail = '';
  #chars = 0;
  #totalBytes = 0;
  #newlines = 0;
  #spill: { readonly path: string; readonly handle: AppendHandle; bytes: number } | undefined;
  #spillFailure: string | undefined;
  #toFile = false;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: BoundedOutputOptions) {
    this.#options = options;
  }

  /** The last characters so far, for progress. */
  get tail(): string {
    return this.#tail;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Lines so far; one that has not ended counts. */
  get totalLines(): number {
    return this.#newlines + (this.#tail === '' || this.#tail.endsWith('\n') ? 0 : 1);
  }

  /** The file with all of it, if there is one. */
  get path(): string | undefined {
    return this.#spill?.path;
  }

  /** Settles when the next chunk may be written: a slow disk slows the source. Never rejects. */
  write(chunk: Uint8Array): Promise<void> {
    this.#totalBytes += chunk.length;
    this.#keep(this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)));
    if (this.#spillFailure !== undefined) return Promise.resolve();
    this.#unspilled.push(chunk);
    if (this.#spill === undefined && !this.#toFile && this.#chars <= this.#options.maxChars)
      return Promise.resolve();
    return this.#flush(this.#options.spillFile);
  }

  /** Writes all of it to this file from the first byte on; no effect if it is written to a file already. */
  toFile(path: string): Promise<void> {
    this.#toFile = true;
    return this.#flush(async () => path);
  }

  /** Ends the output. Never rejects. */
  async finish(): Promise<CollectedOutput> {
    this.#keep(this.#decoder.end());
    await this.#flushing;
    const spill = this.#spill;
    await spill?.handle.close().catch(() => {});
    const complete = this.#chars <= this.#options.maxChars;
    return {
      head: this.#head,
      tail: this.#tail,
      totalBytes: this.#totalBytes,
      complete,
      ...(!complete &&
        (this.#spillFailure !== undefined
          ? { spill: { failed: this.#spillFailure } }
          : spill !== undefined && { spill: { path: spill.path, bytes: spill.bytes } })),
    };
  }

  #keep(text: string): void {
    const { maxChars } = this.#options;
    if (this.#head.length < maxChars) this.#head = takeStart(this.#head + text, maxChars);
    this.#chars += text.length;
    this.#newlines += newlinesIn(text);
    this.#tail = takeEnd(this.#tail + takeEnd(text, TAIL_CHARS), TAIL_CHARS);
  }

  /** One at a time, to keep the order of bytes. */
  #flush(spillFile: () => Promise<string>): Promise<void> {
    this.#flushing = this.#flushing
      .then(() => this.#writeOut(spillFile))
      .catch((error: unknown) => {
        this.#spillFailure = errorText(error);
        this.#unspilled = [];
      });
    return this.#flushing;
  }

  async #writeOut(spillFile: () => Promise<string>): Promise<void> {
    if (this.#spillFailure !== undefined) return;
    if (this.#spill === undefined) {
      const path = await spillFile();
      this.#spill = { path, handle: await this.#options.files.openAppend(path, 0o600), bytes: 0 };
    }
    const chunks = this.#unspilled;
    this.#unspilled = [];
    for (const bytes of chunks) {
      const room = this.#options.maxSpillBytes - this.#spill.bytes;
      if (room <= 0) return;
      const fitting = bytes.subarray(0, room);
      await this.#spill.handle.append(fitting);
      this.#spill.bytes += fitting.length;
    }
  }
}
