import { sha256 } from './sha256.ts';

/** A uuid that is derived from a name: a resume of the same journal creates the same ids. */
export function stableUuid(name: string): string {
  const hex = sha256(name);
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}
