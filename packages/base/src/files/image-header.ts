/** Width, height and actual format of an image, read from its first bytes: PNG, JPEG, GIF and WebP. */

export interface ImageHeader {
  readonly width: number;
  readonly height: number;
  /** The actual format, whatever the block declares. */
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
}

/** A JPEG may have long metadata before its size. */
const HEAD_CHARS = 256 * 1024;

/** Undefined when the text is not base64, or not an image of a known format. */
export function imageHeader(base64: string): ImageHeader | undefined {
  const bytes = decodeHead(base64);
  if (bytes === undefined) return undefined;
  const at = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  if (bytes.length >= 24 && at.getUint32(0) === 0x89504e47) {
    return { width: at.getUint32(16), height: at.getUint32(20), mediaType: 'image/png' };
  }
  if (bytes.length >= 10 && text(0, 4) === 'GIF8') {
    return { width: at.getUint16(6, true), height: at.getUint16(8, true), mediaType: 'image/gif' };
  }
  if (bytes.length >= 30 && text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return webp(at, text(12, 16));
  if (bytes.length >= 4 && at.getUint16(0) === 0xffd8) return jpeg(at);
  return undefined;
}

function decodeHead(base64: string): Uint8Array | undefined {
  try {
    const head = base64.slice(0, HEAD_CHARS);
    return Uint8Array.from(
      atob(head.length === base64.length ? head : head.slice(0, head.length - (head.length % 4))),
      (char) => char.charCodeAt(0),
    );
  } catch {
    return undefined;
  }
}

function jpeg(at: DataView): ImageHeader | undefined {
  let position = 2;
  while (position + 9 < at.byteLength) {
    if (at.getUint8(position) !== 0xff) return undefined;
    const marker = at.getUint8(position + 1);
    if (marker === 0xff) {
      position += 1;
      continue;
    }
    const startsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (startsFrame) {
      return {
        width: at.getUint16(position + 7),
        height: at.getUint16(position + 5),
        mediaType: 'image/jpeg',
      };
    }
    position += 2 + at.getUint16(position + 2);
  }
  return undefined;
}

function webp(at: DataView, chunk: string): ImageHeader | undefined {
  const mediaType = 'image/webp';
  switch (chunk) {
    case 'VP8X': {
      const three = (from: number) => at.getUint16(from, true) + at.getUint8(from + 2) * 0x10000;
      return { width: three(24) + 1, height: three(27) + 1, mediaType };
    }
    case 'VP8 ':
      return { width: at.getUint16(26, true) & 0x3fff, height: at.getUint16(28, true) & 0x3fff, mediaType };
    case 'VP8L': {
      const bits = at.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, mediaType };
    }
    default:
      return undefined;
  }
}
