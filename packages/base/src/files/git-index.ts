/** Reads which submodules an index of git names, without git. */

const SIGNATURE = 0x44_49_52_43; // "DIRC"
const GITLINK = 0o160000;
/** Bytes of an entry in front of the object's id, and where in them its mode is. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const EXTENDED = 0x4000;
/** A name that is no text could not be looked for. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** "link": the entries of another file come first. */
const SHARED = 0x6c_69_6e_6b;

/**
 * Paths from the root of the working tree. undefined: this is no index of a known version, a part of it is
 * kept in another file, or one of the paths is no UTF-8.
 */
export function gitlinksIn(index: Uint8Array, hashBytes: 20 | 32 = 20): readonly string[] | undefined {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  try {
    const version = view.getUint32(4);
    if (view.getUint32(0) !== SIGNATURE || version < 2 || version > 4) return undefined;
    const links: string[] = [];
    let at = 12;
    let path: Uint8Array = new Uint8Array();
    for (let left = view.getUint32(8); left > 0; left--) {
      const begin = at;
      const mode = view.getUint32(begin + MODE_AT);
      const flags = view.getUint16(begin + STAT_BYTES + hashBytes);
      at = begin + STAT_BYTES + hashBytes + 2 + ((flags & EXTENDED) !== 0 ? 2 : 0);
      let kept = 0;
      if (version === 4) {
        const [cut, next] = readOffset(view, at);
        kept = path.length - cut;
        at = next;
        if (kept < 0) return undefined;
      }
      const end = index.indexOf(0, at);
      if (end < 0) return undefined;
      const rest = index.subarray(at, end);
      path = version === 4 ? Buffer.concat([path.subarray(0, kept), rest]) : rest;
      // Earlier versions fill up with one to eight zeros, to a multiple of eight.
      at = version === 4 ? end + 1 : begin + ((end - begin + 8) & ~7);
      if ((mode & 0o170000) === GITLINK) links.push(UTF8.decode(path));
    }
    for (; at + 8 <= index.length - hashBytes; at += 8 + view.getUint32(at + 4))
      if (view.getUint32(at) === SHARED) return undefined;
    return links;
  } catch {
    return undefined;
  }
}

/** A number of variable length, as pack files have it, and the place behind it. */
function readOffset(view: DataView, from: number): readonly [value: number, next: number] {
  let at = from;
  let byte = view.getUint8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = view.getUint8(at++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return [value, at];
}
