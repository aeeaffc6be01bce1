/** A file that changed is shown again only where it was read, and as long as no rule denies it. */
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { call, type FileCalls, fileCalls } from './file-calls.ts';

const CANARY = 'CANARY-55d0';

let files: FileCalls;
beforeEach(async () => {
  files = await fileCalls();
  await mkdir(files.at('secrets'));
  await writeFile(files.at('a.txt'), 'one\n');
  await writeFile(files.at('secrets/key'), `${CANARY}\n`);
  await writeFile(join(files.outside, 'x'), `${CANARY}\n`);
});
afterEach(() => files.close());

/** Reads a.txt, puts something in its place by Bash, and goes on. */
const readAndReplace = (command: string) =>
  files.answers(
    [
      call('Read', { file_path: files.at('a.txt') }),
      call('Bash', { command }),
      call('Glob', { pattern: 'nothing' }),
    ],
    {
      tools: ['Read', 'Bash', 'Glob'],
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    },
  );

it('a file that changed is attached', async () => {
  await readAndReplace('sleep 0.02; echo two > a.txt');
  expect(files.sent()).toContain('a.txt changed on disk');
  expect(files.sent()).toContain('two');
});

it.each(['outside', 'secrets'])('a link to %s in its place is not followed', async (where) => {
  const target = where === 'outside' ? join(files.outside, 'x') : files.at('secrets/key');
  await rm(files.at('link'), { force: true });
  await symlink(target, files.at('link'));
  await readAndReplace('sleep 0.02; mv link a.txt');
  expect(files.sent()).not.toContain(CANARY);
});
