// Builds the site into site/dist: the reference from the sources, then all pages, then a check of every link.
// `--no-api` leaves the reference out, which takes most of the time.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import Eleventy from '@11ty/eleventy';
import { brokenLinks } from './lib/check-links.mjs';

const here = dirname(fileURLToPath(import.meta.url));
process.chdir(here);
rmSync('dist', { recursive: true, force: true });
if (!process.argv.includes('--no-api')) {
  rmSync('.cache/api', { recursive: true, force: true });
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/typedoc/bin/typedoc', '--options', 'typedoc.mjs'],
    {
      stdio: 'inherit',
    },
  );
  if (status !== 0) process.exit(status ?? 1);
}
mkdirSync('.cache/api', { recursive: true });
const site = new Eleventy('pages', 'dist', { configPath: 'eleventy.config.mjs' });
await site.write();
const { pages, links, broken } = brokenLinks('dist');
for (const line of broken) console.error(line);
console.log(`${pages} pages, ${links} links, ${broken.length} broken.`);
if (broken.length > 0 || pages < 50) process.exitCode = 1;
