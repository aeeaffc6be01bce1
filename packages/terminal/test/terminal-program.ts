/** The driver program as a file that Node runs: bundled once for each test file. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { DriverTask } from './driver.ts';

/** Into `folder`; returns the command for a task. */
export function buildDriver(folder: string): (task: DriverTask) => readonly string[] {
  const outfile = join(folder, 'driver.mjs');
  buildSync({
    entryPoints: [fileURLToPath(new URL('driver.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    outfile,
    logLevel: 'error',
  });
  return (task) => [process.execPath, outfile, JSON.stringify(task)];
}
