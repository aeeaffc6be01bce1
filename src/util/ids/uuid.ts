import { randomUUID } from 'node:crypto';

const ROOM = Buffer.alloc(36);

/**
 * `crypto.randomUUID` as a flat string: Node's is a rope of about twenty parts, six times the size, and ids
 * are kept for the lifetime of a session.
 */
export function uuid(): string {
  ROOM.write(randomUUID(), 'latin1');
  return ROOM.toString('latin1');
}

export const systemIds = { uuid } as const;
