/** Images that are nothing but a header: all that limits look at. */
import type { ImageBlock } from '../../src/protocol/model/wire.ts';

export function imageOf(mediaType: string, bytes: Buffer): ImageBlock {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: bytes.toString('base64') } };
}

/** `size`: bytes in all. */
export function png(width: number, height: number, size = 60): ImageBlock {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt32BE(0x89504e47, 0);
  bytes.write('\r\n\x1a\n\0\0\0\rIHDR', 4, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return imageOf('image/png', bytes);
}

export function gif(width: number, height: number): ImageBlock {
  const bytes = Buffer.alloc(30);
  bytes.write('GIF89a', 0, 'latin1');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return imageOf('image/gif', bytes);
}

/** With metadata ahead of the frame, as cameras write it. */
export function jpeg(width: number, height: number): ImageBlock {
  const metadata = Buffer.alloc(20_000);
  metadata.writeUInt16BE(0xffe1, 0);
  metadata.writeUInt16BE(metadata.length - 2, 2);
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return imageOf('image/jpeg', Buffer.concat([Buffer.from([0xff, 0xd8]), metadata, frame]));
}

export function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): ImageBlock {
  const bytes = Buffer.alloc(40);
  bytes.write(`RIFF\0\0\0\0WEBP${kind}`, 0, 'latin1');
  if (kind === 'VP8X') {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  } else if (kind === 'VP8 ') {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  } else bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  return imageOf('image/webp', bytes);
}
