/** A module with all that it imports as one plain file, for a process of its own: nothing is loaded while it runs. */
import { createHash, randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { builtFiles } from './temporary-files.ts';

/** `entry`: path of the module. ripgrep, which is a program, is not part of the file. */
export function writeOneFile(entry: string, outfile: string): void {
  copyFileSync(builtFile(entry), outfile);
}

/** Built once in a run, for the sources stay as they are meanwhile. */
function builtFile(entry: string): string {
  const folder = builtFiles();
  const file = join(folder, `${createHash('sha256').update(entry).digest('hex').slice(0, 16)}.mjs`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  // Another worker, a process or a thread, may build the same at this moment.
  const outfile = `${file}.${randomUUID()}`;
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['@vscode/ripgrep'],
    logLevel: 'error',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  renameSync(outfile, file);
  return file;
}
