import { randomUUID } from 'node:crypto';

const ROOM = Buffer.alloc(36);

/**
 * `crypto.randomUUID`, as one flat string: Node's is a rope of some twenty, six times the size, and what is on record is
 * kept for as long as its session.
 */
export function uuid(): string {
  ROOM.write(randomUUID(), 'latin1');
  return ROOM.toString('latin1');
}

export const systemIds = { uuid } as const;
