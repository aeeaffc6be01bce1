import type { FileData } from '../../protocol/files.ts';

/** The content in one piece. */
export function wholeData(data: FileData): Uint8Array | string {
  return typeof data === 'string' || data instanceof Uint8Array ? data : [...data].join('');
}
