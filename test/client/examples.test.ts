/**
 * The examples, each through both doors: the published client and our own package. The import line alone differs; what
 * they print and which messages come is the same.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as client from '@anthropic-ai/claude-agent-sdk';
import { transformSync } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { everyNth } from '../long-form.ts';

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));
// Beside the client's packages, so that it is found; what is made here is not kept.
const out = fileURLToPath(new URL('node_modules/.examples/', import.meta.url));
const dist = new URL('../../dist/', import.meta.url);

/** Those about what our package alone has: its engine, its scripted model and its spans, without a process or a server. */
const OURS_ALONE = ['07-scripted-model.ts', '10-subagents.ts', '65-tracing.ts'];

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
  /** The kinds of messages, in no order: agents side by side speak as they come. */
  readonly messages: readonly string[];
}

async function run(name: string, code: string, door: 'published' | 'own'): Promise<Ran> {
  const file = `${out}${name.replace(/\.ts$/, '.mjs')}`;
  const source = code
    .replace('from "turnwright";', `from "./${door}-recorded.mjs";`)
    .replace('"turnwright/rehearsal"', JSON.stringify(new URL('rehearsal.js', dist).href));
  writeFileSync(file, source);
  const home = mkdtempSync(join(tmpdir(), 'turnwright-client-'));
  const record = join(home, 'messages');
  writeFileSync(record, '');
  const child = spawn(process.execPath, [file], {
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      TURNWRIGHT_BIN: fileURLToPath(new URL('bin/turnwright', dist)),
      RECORD: record,
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const exit = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const lines = new Set(readFileSync(record, 'utf8').split('\n'));
  rmSync(home, { recursive: true, force: true });
  return { code: exit, said, messages: [...lines].sort() };
}

/** A door under another name, whose messages are written down; `engine` is added to the options of its calls. */
const recording = (module: string, engine?: object) => `
import * as door from ${JSON.stringify(module)};
import { recorded } from './recorded.mjs';
export * from ${JSON.stringify(module)};
const engine = ${JSON.stringify(engine)};
const within = (given = {}) => engine === undefined ? given
  : { ...given, options: { ...given.options, engine: { ...engine, ...given.options?.engine } } };
export const query = (given) => recorded(door.query(within(given)));
export const startup = async (given) => {
  const warm = await door.startup(within(given));
  return { query: (prompt) => recorded(warm.query(prompt)), close: () => warm.close() };
};
`;

beforeAll(() => {
  mkdirSync(out, { recursive: true });
  for (const name of ['published', 'recorded']) {
    const source = readFileSync(fileURLToPath(new URL(`${name}.ts`, import.meta.url)), 'utf8');
    writeFileSync(`${out}${name}.mjs`, compiled(source));
  }
  writeFileSync(`${out}published-recorded.mjs`, recording('./published.mjs'));
  // The client keeps the input open for a prompt that is a string too, so that Sleep is offered: so must our own door.
  const own = recording(new URL('index.js', dist).href, { promptsWhileWorking: true });
  writeFileSync(`${out}own-recorded.mjs`, own);
});

test('none is passed over but those that need what our package alone has', () => {
  const others = programs.filter((program) => !forBoth.includes(program));
  expect(others.map(({ name }) => name)).toEqual(OURS_ALONE);
});

test.each(everyNth(12, forBoth))(
  '$name through both doors, with the same output and messages',
  async ({ name, code }) => {
    const published = await run(name, code, 'published');
    expect(published.code, published.said).toBe(0);
    const own = await run(name, code, 'own');
    expect(own).toEqual(published);
  },
);
