/** The examples, each through both doors: the published client and our own package. Only the import line differs. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as client from '@anthropic-ai/claude-agent-sdk';
import { transformSync } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));
// Beside the client's packages, so that it is found; what is made here is not kept.
const out = fileURLToPath(new URL('node_modules/.examples/', import.meta.url));
const dist = new URL('../../dist/', import.meta.url);

/** Those about what our package alone has: its engine and its scripted model, without a process or a server. */
const OURS_ALONE = ['07-scripted-model.ts', '10-subagents.ts'];

const compiled = (source: string) =>
  transformSync(source, { loader: 'ts', format: 'esm', target: 'node20' }).code;
const programs = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, code: compiled(readFileSync(`${folder}${name}`, 'utf8')) }));

const isForBoth = (code: string): boolean => {
  const names = /import \{([^}]*)\} from "turnwright";/.exec(code)?.[1]?.split(',') ?? [];
  return !code.includes('"turnwright/testing"') && names.every((name) => name.trim() in client);
};
const forBoth = programs.filter(({ code }) => isForBoth(code));

interface Ran {
  readonly code: number | null;
  readonly said: string;
}

async function run(name: string, code: string, from: string): Promise<Ran> {
  const file = `${out}${name.replace(/\.ts$/, '.mjs')}`;
  const source = code
    .replace('from "turnwright";', `from ${JSON.stringify(from)};`)
    .replace('"turnwright/rehearsal"', JSON.stringify(new URL('rehearsal.js', dist).href));
  writeFileSync(file, source);
  const child = spawn(process.execPath, [file], {
    env: {
      PATH: process.env['PATH'],
      HOME: mkdtempSync(join(tmpdir(), 'turnwright-client-')),
      TURNWRIGHT_BIN: fileURLToPath(new URL('bin/turnwright', dist)),
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const exit = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code: exit, said };
}

beforeAll(() => {
  mkdirSync(out, { recursive: true });
  const shim = readFileSync(fileURLToPath(new URL('published.ts', import.meta.url)), 'utf8');
  writeFileSync(`${out}published.mjs`, compiled(shim));
});

test('none is passed over but those that need what our package alone has', () => {
  const others = programs.filter((program) => !forBoth.includes(program));
  expect(others.map(({ name }) => name)).toEqual(OURS_ALONE);
});

test.each(forBoth)('$name through both doors, with the same output', async ({ name, code }) => {
  const published = await run(name, code, './published.mjs');
  expect(published.code, published.said).toBe(0);
  const own = await run(name, code, new URL('index.js', dist).href);
  expect(own).toEqual(published);
});
