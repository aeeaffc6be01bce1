/** Each example asserts its own result; here all of them are run, against the built package. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bareEnv } from '@turnwright/test/cli/bin.ts';
import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../../examples/', import.meta.url));
const names = readdirSync(folder).filter((name) => name.endsWith('.ts'));

test('there are examples, numbered without a gap', () => {
  expect(names.map((name) => Number(name.slice(0, 2)))).toEqual(names.map((_, n) => n + 1));
});

test('the index names each of them, and nothing that is not there', () => {
  const index = readFileSync(`${folder}README.md`, 'utf8');
  const named = [...index.matchAll(/\]\((\d\d-[^)]*)\)/g)].map(([, name]) => name);
  expect([...new Set(named)].sort()).toEqual(names);
  for (const [, guide = ''] of index.matchAll(/\]\(\.\.\/(docs\/[\w.-]+)/g))
    expect(existsSync(new URL(`../../../${guide}`, import.meta.url)), guide).toBe(true);
});

test('an error that a program does not catch shows itself, and no page of the library', async () => {
  const index = new URL('../../../dist/index.js', import.meta.url).href;
  const program = `import { query } from '${index}'; query({ prompt: 'Hi.', options: { nope: 1 } });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { env: bareEnv() });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  expect(said).toContain('The option "nope" is not supported');
  expect(said.length).toBeLessThan(3_000);
});

/** Each in a process of its own in the long form; in the short form all share one, as `run.mjs` offers. */
const SHARE = inShortAndLongForm(names.length, 1);
const runs = new Map<number, Promise<{ readonly code: unknown; readonly said: string }>>();

/** The run that the example at this place belongs to. */
function runOf(at: number) {
  const first = at - (at % SHARE);
  const running = runs.get(first) ?? run(names.slice(first, first + SHARE));
  runs.set(first, running);
  return running;
}

async function run(chosen: readonly string[]) {
  const child = spawn(process.execPath, [`${folder}run.mjs`, ...chosen], { env: bareEnv() });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, said };
}

test.concurrent.each(names)('%s', async (name) => {
  const { code, said } = await runOf(names.indexOf(name));
  expect(said.split('\n')).toContain(`— ${name}`);
  expect(code, said).toBe(0);
});
