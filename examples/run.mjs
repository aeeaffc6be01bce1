// Runs examples by number or name (`node examples/run.mjs 01`), or all of them. Needs `npm run build`.
// A runtime that strips types runs them directly: node examples/01-one-question.ts
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
// Inside the package, so that 'turnwright' resolves to it.
const out = fileURLToPath(new URL('../dist/examples/', import.meta.url));
mkdirSync(out, { recursive: true });

const wanted = process.argv.slice(2);
const names = readdirSync(here).filter((name) => name.endsWith('.ts'));
const chosen =
  wanted.length === 0 ? names : names.filter((name) => wanted.some((start) => name.startsWith(start)));
if (chosen.length === 0) {
  console.error(`No example begins with ${wanted.join(' or ')}. There are: ${names.join(', ')}`);
  process.exitCode = 2;
}
for (const name of chosen) {
  const { code } = await transform(readFileSync(`${here}${name}`, 'utf8'), {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
  });
  const file = `${out}${name.replace(/\.ts$/, '.mjs')}`;
  writeFileSync(file, code);
  console.log(`— ${name}`);
  await import(pathToFileURL(file).href);
}
