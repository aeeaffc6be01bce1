import { hash, randomUUID } from 'node:crypto';

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

/** In hexadecimal. */
export const sha256 = (data: string | Uint8Array): string => hash('sha256', data);

/** A uuid that is derived from a name: a resume of the same journal creates the same ids. */
export function stableUuid(name: string): string {
  const hex = sha256(name);
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}
