/**
 * Decodes and encodes text files, so that an edit changes only what it names: encoding, byte order mark and
 * line ends are kept.
 */

type TextEncoding = 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be' | 'latin1';

interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** Bytes that are searched for a NUL, which text does not have. */
const SNIFF_BYTES = 8192;
const BOM = '\ufeff';

/** `undefined`: not text. Bytes that are not valid UTF-8 are read as Latin-1, which preserves all bytes. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  const [a, b, c] = bytes;
  if (a === 0xff && b === 0xfe)
    return { text: Buffer.from(bytes.subarray(2)).toString('utf16le'), encoding: 'utf16le' };
  if (a === 0xfe && b === 0xff)
    return { text: swapped(bytes.subarray(2)).toString('utf16le'), encoding: 'utf16be' };
  if (bytes.subarray(0, SNIFF_BYTES).includes(0)) return undefined;
  const bom = a === 0xef && b === 0xbb && c === 0xbf;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      bom ? bytes.subarray(3) : bytes,
    );
    return { text, encoding: bom ? 'utf8-bom' : 'utf8' };
  } catch {
    return { text: Buffer.from(bytes).toString('latin1'), encoding: 'latin1' };
  }
}

/** `undefined`: the encoding has no bytes for this text. */
export function encodeText(text: string, encoding: TextEncoding): Uint8Array | undefined {
  switch (encoding) {
    case 'utf8':
      return Buffer.from(text, 'utf8');
    case 'utf8-bom':
      return Buffer.from(BOM + text, 'utf8');
    case 'utf16le':
      return Buffer.from(BOM + text, 'utf16le');
    case 'utf16be':
      return swapped(Buffer.from(BOM + text, 'utf16le'));
    case 'latin1':
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is Latin-1 itself
      return /^[\u0000-\u00ff]*$/.test(text) ? Buffer.from(text, 'latin1') : undefined;
  }
}

/** Swaps byte pairs; a last odd byte is dropped. */
function swapped(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16();
}
