import { randomFillSync } from 'node:crypto';

const DIGITS = Buffer.from('0123456789abcdef');
/** Where the two digits of each byte stand. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

const text = Buffer.alloc(36, '-');
const random = new Uint8Array(16 * 128);
let at = random.length;

/**
 * A random UUID (version 4). As `crypto.randomUUID`, but in one piece: Node's is a rope of some twenty strings, six
 * times the size, and what is on record is kept for as long as its session.
 */
export function uuid(): string {
  if (at === random.length) {
    randomFillSync(random);
    at = 0;
  }
  random[at + 6] = ((random[at + 6] as number) & 0x0f) | 0x40;
  random[at + 8] = ((random[at + 8] as number) & 0x3f) | 0x80;
  for (let i = 0; i < 16; i++) {
    const place = PLACES[i] as number;
    const byte = random[at++] as number;
    text[place] = DIGITS[byte >> 4] as number;
    text[place + 1] = DIGITS[byte & 15] as number;
  }
  return text.toString('latin1');
}

export const systemIds = { uuid } as const;
