/**
 * Decodes and encodes text files, so that an edit changes only what it names: encoding, byte order mark and
 * line ends are kept.
 */

type TextEncoding = 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be' | 'windows-1252';

interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** Bytes that are searched for a NUL, which text does not have. */
const SNIFF_BYTES = 8192;
const BOM = '\ufeff';

/** `undefined`: not text. What is not valid UTF-8 is read as Windows-1252, which preserves all bytes. */
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
    return { text: fromWindows1252(bytes), encoding: 'windows-1252' };
  }
}

/** Its lines end with CR alone, as those of old Macs do. */
export const endsLinesWithCr = (text: string): boolean => !text.includes('\n') && text.includes('\r');

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
    case 'windows-1252':
      return toWindows1252(text);
  }
}

/**
 * Windows-1252 for the bytes 0x80 to 0x9f; five are unassigned, and are kept as they are. Its own table:
 * decoders of some versions of Node read them as Latin-1.
 */
const HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** What Latin-1 has no letter for. */
const BEYOND_LATIN1 = /[^\p{ASCII}\u00a0-\u00ff]/gu;

function fromWindows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (byte) => HIGH.charAt(byte.charCodeAt(0) - 0x80));
}

function toWindows1252(text: string): Uint8Array | undefined {
  if (firstBeyond(text) !== undefined) return undefined;
  const inLatin1 = text.replace(BEYOND_LATIN1, (letter) => String.fromCharCode(0x80 + HIGH.indexOf(letter)));
  return Buffer.from(inLatin1, 'latin1');
}

/** The first character that Windows-1252 has no byte for. */
function firstBeyond(text: string): string | undefined {
  for (const letter of text.match(BEYOND_LATIN1) ?? []) if (!HIGH.includes(letter)) return letter;
  return undefined;
}

/** What Read says of a file that is not UTF-8; '' for one that is. */
export function encodingNote(encoding: TextEncoding): string {
  switch (encoding) {
    case 'utf8':
    case 'utf8-bom':
      return '';
    case 'utf16le':
    case 'utf16be':
      return '\n\n(The file is UTF-16, not UTF-8. Edit and Write keep that.)';
    case 'windows-1252':
      return '\n\n(The file is not UTF-8, and is shown as Windows-1252. If letters look wrong, it is in another encoding: print it with iconv to read it. Edit and Write keep its encoding, and take no characters that Windows-1252 does not have.)';
  }
}

/** Why text cannot be put into a file of this encoding. */
export function encodingRefusal(path: string, text: string): string {
  const letter = firstBeyond(text) ?? '';
  const code = letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return `${path} is not UTF-8 (it is read as Windows-1252, a single-byte encoding), which has no byte for ${letter} (U+${code}). Nothing was written. If the file may become UTF-8, convert it first, for example with iconv; else leave such characters out.`;
}

/** Swaps byte pairs; a last odd byte is dropped. */
function swapped(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16();
}
