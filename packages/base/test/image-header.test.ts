import { png } from '@turnwright/test/rehearsal/raw-http.ts';
import { describe, expect, it } from 'vitest';
import { imageHeader } from '../src/files/image-header.ts';

function gif(width: number, height: number): Buffer {
  const bytes = Buffer.from('GIF89a....');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

/** A JPEG whose size stands behind a long comment and a table. */
function jpeg(width: number, height: number): Buffer {
  const segment = (marker: number, payload: Buffer) => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(payload.length + 2, 2);
    return Buffer.concat([head, payload]);
  };
  const frame = Buffer.alloc(15);
  frame.writeUInt8(8, 0);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, Buffer.alloc(5000)),
    segment(0xc4, Buffer.alloc(30)),
    segment(0xc2, frame),
  ]);
}

function webp(kind: 'VP8X' | 'VP8 ' | 'VP8L', width: number, height: number): Buffer {
  const bytes = Buffer.alloc(30);
  bytes.write('RIFF', 0);
  bytes.write('WEBP', 8);
  bytes.write(kind, 12);
  if (kind === 'VP8X') {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  } else if (kind === 'VP8 ') {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  } else {
    bytes.writeUInt32LE(((height - 1) << 14) | (width - 1), 21);
  }
  return bytes;
}

describe('the size of an image, from its first bytes', () => {
  it.each([
    ['PNG', Buffer.from(png(2162, 322), 'base64'), 'image/png'],
    ['GIF', gif(2162, 322), 'image/gif'],
    ['JPEG', jpeg(2162, 322), 'image/jpeg'],
    ['WebP, extended', webp('VP8X', 2162, 322), 'image/webp'],
    ['WebP, lossy', webp('VP8 ', 2162, 322), 'image/webp'],
    ['WebP, lossless', webp('VP8L', 2162, 322), 'image/webp'],
  ])('%s', (_name, bytes, mediaType) => {
    expect(imageHeader(bytes.toString('base64'))).toEqual({ width: 2162, height: 322, mediaType });
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('hello, world, this is no image at all')],
    ['a JPEG cut short', jpeg(1, 1).subarray(0, 40)],
  ])('%s has none', (_name, bytes) => {
    expect(imageHeader(bytes.toString('base64'))).toBeUndefined();
  });
});
