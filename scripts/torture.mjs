// The scorecard, which is written in TypeScript: test/torture/main.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'torture-'));
// A signal ends the process by its exit, which stops the rows: each is a process group of its own.
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }))
  process.once(signal, () => process.exit(128 + number));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const outfile = join(folder, 'main.mjs');
await build({
  entryPoints: ['test/torture/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  logLevel: 'error',
});
const { main } = await import(pathToFileURL(outfile).href);
process.exitCode = await main(process.argv.slice(2));
