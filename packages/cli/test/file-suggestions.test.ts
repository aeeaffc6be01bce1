import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '@turnwright/engine';
import { startHost } from '@turnwright/test/cli/control-host.ts';
import { type RehearsalServer, startRehearsal } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, expect, it } from 'vitest';

let server: RehearsalServer;
let cwd: string;
beforeEach(async () => {
  server = await startRehearsal();
  cwd = await mkdtemp(join(tmpdir(), 'turnwright-suggest-'));
  await mkdir(join(cwd, 'src/deep'), { recursive: true });
  await mkdir(join(cwd, '.git'));
  for (const file of ['src/larch.ts', 'src/deep/larches.md', 'larch.log', 'secret.larch', '.gitignore'])
    await writeFile(join(cwd, file), file === '.gitignore' ? '*.log\n' : '');
});
afterEach(async () => {
  await server.close();
  await rm(cwd, { recursive: true, force: true });
});

const FOUND = ['src/larch.ts', 'src/deep/larches.md'];

it('file_suggestions: no ignored files, none that a rule denies reading', async () => {
  const host = startHost(server, { options: { cwd, disallowedTools: ['Read(secret.larch)'] } });
  await host.ask('initialize');
  expect(await host.ask('file_suggestions', { query: 'larch' })).toMatchObject({
    subtype: 'success',
    response: { suggestions: FOUND },
  });
  host.end();
  expect(await host.ended).toBe(0);
});

it('fileSuggestions(): the same in process; folders end in a slash', async () => {
  const running = query({
    prompt: (async function* () {})(),
    options: { cwd, env: {}, disallowedTools: ['Read(secret.larch)'] },
  });
  expect(await running.fileSuggestions('larch')).toEqual(FOUND);
  expect(await running.fileSuggestions('')).toEqual(['src/', '.gitignore']);
  await running.close();
});
