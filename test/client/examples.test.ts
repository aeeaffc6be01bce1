/** The examples, each through the published client: of the program, only the import line is another. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));
// Beside the client's packages, so that it is found; what is made here is not kept.
const out = fileURLToPath(new URL('node_modules/.examples/', import.meta.url));
const dist = new URL('../../dist/', import.meta.url);

/** Those that need nothing but what both packages have. */
const OURS_ALONE = /'turnwright\/testing'|\b(QueryEngine|TERMINAL_REASONS|type Options)\b/;
const examples = readdirSync(folder).filter(
  (name) => name.endsWith('.ts') && !OURS_ALONE.test(readFileSync(`${folder}${name}`, 'utf8')),
);

const compiled = (source: string) =>
  transformSync(source, { loader: 'ts', format: 'esm', target: 'node20' }).code;

beforeAll(() => {
  mkdirSync(out, { recursive: true });
  const shim = readFileSync(fileURLToPath(new URL('published.ts', import.meta.url)), 'utf8');
  writeFileSync(`${out}published.mjs`, compiled(shim));
});

test('there are such examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(8);
});

test.each(examples)('%s through the published client', async (name) => {
  const source = readFileSync(`${folder}${name}`, 'utf8')
    .replaceAll("from 'turnwright'", "from './published.mjs'")
    .replaceAll("from 'turnwright/rehearsal'", `from '${new URL('rehearsal.js', dist).href}'`);
  const file = `${out}${name.replace(/\.ts$/, '.mjs')}`;
  writeFileSync(file, compiled(source));
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env['PATH'], TURNWRIGHT_BIN: fileURLToPath(new URL('bin/turnwright', dist)) },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code, said).toBe(0);
});
