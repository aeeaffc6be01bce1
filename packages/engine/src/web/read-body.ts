import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { readWithin } from '@turnwright/base/http/send-request.ts';

/**
 * The complete body, decompressed; undefined when it is longer than `maxBytes`. Rejects when it breaks off.
 */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const unpack = await unpackerFor(response.headers['content-encoding']);
  const body = unpack === undefined ? response : response.pipe(unpack);
  if (unpack !== undefined) {
    response.once('error', (error) => unpack.destroy(error));
    response.once('close', () => response.complete || unpack.destroy(new Error('The answer broke off.')));
  }
  try {
    // Counted after decompression: a small response may expand to a very long text.
    const { bytes, isWhole } = await readWithin(body as AsyncIterable<Buffer>, maxBytes);
    return isWhole ? bytes : undefined;
  } finally {
    response.destroy();
    unpack?.destroy();
  }
}

/** Encodings that `unpackerFor` supports. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

async function unpackerFor(encoding = 'identity'): Promise<Transform | undefined> {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return undefined;
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib');
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new Error(`It is packed in a way that was not asked for (${name}).`);
  }
}
