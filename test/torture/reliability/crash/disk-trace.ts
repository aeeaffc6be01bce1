/** Calls that changed a disk, in the order in which they ended, as data: what a loss of power may leave of them. */
import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DiskCall } from './disk-calls.ts';

/** Paths are absolute; `data` is base64. `result`: the consumer has received the result of the submission. */
export type TraceLine =
  | { readonly op: 'create' | 'mkdir' | 'unlink' | 'sync'; readonly path: string }
  | { readonly op: 'append'; readonly path: string; readonly data: string }
  | { readonly op: 'truncate'; readonly path: string; readonly length: number }
  | { readonly op: 'rename' | 'link'; readonly path: string; readonly to: string }
  | { readonly op: 'result' };

/** undefined: it changes nothing that a crash could lose. Throws for a call that it does not know. */
export function lineOf({ name, args, path: given = '' }: DiskCall): TraceLine | undefined {
  const path = real(given);
  switch (name) {
    case 'create':
      return { op: 'create', path };
    case 'mkdir':
    case 'mkdirSync':
      return { op: 'mkdir', path };
    case 'unlink':
    case 'unlinkSync':
    case 'rm':
    case 'rmSync':
      return { op: 'unlink', path };
    case 'fsync':
    case 'fdatasync':
    case 'fsyncSync':
    case 'fdatasyncSync':
    case 'sync':
    case 'datasync':
      return { op: 'sync', path };
    case 'writeSync':
    case 'write':
      return {
        op: 'append',
        path,
        data: written(args[name === 'write' ? 0 : 1], args, name === 'write' ? 1 : 2),
      };
    case 'writeFile':
      return { op: 'append', path, data: base64(args[0]) };
    case 'writeFileSync':
      return { op: 'append', path, data: base64(args[1]) };
    case 'truncate':
      return { op: 'truncate', path, length: Number(args.at(-1)) };
    case 'rename':
    case 'renameSync':
      return { op: 'rename', path, to: real(String(args[1])) };
    case 'link':
    case 'linkSync':
      return { op: 'link', path, to: real(String(args[1])) };
    default:
      throw new Error(`The trace does not know ${name}.`);
  }
}

function written(data: unknown, args: readonly unknown[], at: number): string {
  if (typeof data === 'string') return base64(data);
  const from = Number(args[at] ?? 0);
  const bytes = Buffer.from(data as Uint8Array);
  return bytes.subarray(from, from + Number(args[at + 1] ?? bytes.length - from)).toString('base64');
}

const base64 = (data: unknown): string => Buffer.from(data as string).toString('base64');

/** Folders that are held open have a path below /proc. */
const real = (path: string): string => {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
};

export const readTrace = (file: string): TraceLine[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as TraceLine);
