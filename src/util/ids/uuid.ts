import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
const IDS_PER_DRAW = 128;
/** Random bytes of the next ids. */
const POOL = Buffer.alloc(ID_BYTES * IDS_PER_DRAW);
let used = POOL.length;

const TEXT = Buffer.from('00000000-0000-0000-0000-000000000000');
/** Where each byte of an id is written. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const DIGITS = Buffer.from('0123456789abcdef');

/**
 * A random UUID (version 4) as a flat string: that of `crypto.randomUUID` is a rope of about twenty parts,
 * which costs more to make and six times the memory, and ids are kept for the lifetime of a session.
 */
export function uuid(): string {
  if (used === POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  for (let i = 0; i < ID_BYTES; i++) {
    const byte = POOL[used + i] as number;
    const at = PLACES[i] as number;
    TEXT[at] = DIGITS[byte >> 4] as number;
    TEXT[at + 1] = DIGITS[byte & 15] as number;
  }
  // Version and variant.
  TEXT[14] = DIGITS[4] as number;
  TEXT[19] = DIGITS[8 | ((POOL[used + 8] as number) & 3)] as number;
  used += ID_BYTES;
  return TEXT.toString('latin1');
}

export const systemIds = { uuid } as const;
