/** CVE-2026-39861, test 89: while a folder is swapped for a link again and again, no operation reaches what is outside. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { oneCellNotebook } from '@turnwright/test/notebook.ts';
import {
  once as answered,
  answerOf,
  callOf,
  contextIn,
  executorOf,
  gateOf,
  tempFolder,
} from '@turnwright/test/tools/support.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPermissions } from '../../../src/permissions/permission-engine.ts';
import { editTool } from '../../../src/tools/builtin/files/edit.ts';
import { createReadTool } from '../../../src/tools/builtin/files/read.ts';
import { writeTool } from '../../../src/tools/builtin/files/write.ts';
import { notebookEditTool } from '../../../src/tools/builtin/notebook/notebook-edit.ts';
import { createGlobTool } from '../../../src/tools/builtin/search/glob.ts';
import { createGrepTool } from '../../../src/tools/builtin/search/grep.ts';

const ROUNDS = inForm(20, 80);
const CANARY = 'CANARY-91c2';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let cwd: string;
let outside: string;
let inside: string;
let swapper: ReturnType<typeof spawn>;

beforeAll(async () => {
  folder = await tempFolder();
  cwd = join(folder.path, 'project');
  inside = join(cwd, 'pub');
  outside = join(folder.path, 'outside');
  for (const [place, word] of [
    [inside, 'harmless'],
    [outside, CANARY],
  ] as const) {
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'a.txt'), `word ${word}\n`);
    await writeFile(join(place, 'e.txt'), `word ${word}\n`);
    await writeFile(join(place, 'n.ipynb'), oneCellNotebook(`word ${word}`));
    await writeFile(join(place, `${word}.md`), '');
  }
  swapper = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../../../../test/tools/builtin/swapper.mjs'), inside, outside],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await once(swapper.stdout as NodeJS.ReadableStream, 'data');
});
afterAll(async () => {
  const ended = swapper.exitCode === null ? once(swapper, 'exit') : undefined;
  swapper.kill('SIGKILL');
  await ended;
  await folder.remove();
});

const contents = async (place: string) =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(place)).map(async (name) => [name, await readFile(join(place, name), 'utf8')] as const),
    ),
  );

test(`CVE-2026-39861: ${ROUNDS * 6} operations: none is done outside, and nothing from there is read`, {
  timeout: 300_000,
}, async () => {
  const before = await contents(outside);
  const permissions = createPermissions({ files: nodeFiles, mode: 'acceptEdits' });
  const context = contextIn(cwd);
  const executor = executorOf(
    [createReadTool(), writeTool, editTool, notebookEditTool, createGrepTool(), createGlobTool()],
    {
      gate: gateOf({ decide: (question) => permissions.decide(question) }),
      makeContext: () => ({ ...context }),
    },
  );
  const calls = (round: number) => [
    callOf('Read', { file_path: join(inside, 'a.txt') }),
    callOf('Write', { file_path: join(inside, `w${round}.txt`), content: 'written' }),
    callOf('Edit', { file_path: join(inside, 'e.txt'), old_string: 'word', new_string: 'word word' }),
    callOf('NotebookEdit', {
      notebook_path: join(inside, 'n.ipynb'),
      cell_id: 'c1',
      new_source: `s${round}`,
    }),
    callOf('Grep', { pattern: 'word', path: inside, output_mode: 'content' }),
    callOf('Glob', { pattern: '*.md', path: inside }),
  ];
  const done = { well: 0, badly: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const call of calls(round)) {
      const { text, isError } = answerOf(await answered(executor, call));
      expect(text).not.toContain(CANARY);
      done[isError ? 'badly' : 'well'] += 1;
    }
  }
  expect(swapper.exitCode).toBeNull();
  expect(done.well + done.badly).toBe(ROUNDS * 6);
  // The race was one: some calls met the folder, others the link.
  expect(done.well).toBeGreaterThan(0);
  expect(done.badly).toBeGreaterThan(0);
  expect(await contents(outside)).toEqual(before);
});
