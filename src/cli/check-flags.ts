/** Flags that a person wrote, held against this machine before anything starts. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { unknownBuiltinTools } from '../index.ts';
import type { RunFlags } from './args.ts';
import { UsageError } from './usage-error.ts';

export function checkFlags({ tools = [], addDir = [] }: RunFlags, cwd: string): void {
  const { unknown, known } = unknownBuiltinTools(tools.filter((name) => name !== 'default'));
  const [stray] = unknown;
  if (stray !== undefined)
    throw new UsageError(`--tools: there is no built-in tool ${stray}. There are ${known.join(', ')}.`);
  for (const folder of addDir) {
    const path = resolve(cwd, folder);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) throw new UsageError(`--add-dir: the folder ${path} does not exist.`);
    if (!stat.isDirectory()) throw new UsageError(`--add-dir: ${path} is not a folder.`);
  }
}
