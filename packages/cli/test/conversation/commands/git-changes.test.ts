/** What `/diff` reads of a real repository. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import { expect, test } from 'vitest';
import { readChanges } from '../../../src/conversation/view/git-changes.ts';

const env = {
  PATH: process.env['PATH'] ?? '',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};
const place = (cwd: string) => ({ cwd, env, columns: 80, theme: createTheme('none') });

function repository(): { readonly cwd: string; git(...args: string[]): void } {
  const cwd = mkdtempSync(join(tmpdir(), 'turnwright-changes-'));
  const git = (...args: string[]) => void execFileSync('git', args, { cwd, env, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  return { cwd, git };
}

test('changed, removed and new files, with line numbers; nothing through links, and no binary text', async () => {
  const { cwd, git } = repository();
  expect(await readChanges('', place(cwd))).toEqual([]);
  writeFileSync(join(cwd, 'a.ts'), 'one\ntwo\nthree\n');
  writeFileSync(join(cwd, 'gone.txt'), 'bye\n');
  git('add', '.');
  git('commit', '-qm', 'first');
  writeFileSync(join(cwd, 'a.ts'), 'one\n2\nthree\n');
  git('rm', '-q', 'gone.txt');
  writeFileSync(join(cwd, 'größe.txt'), 'new\n');
  writeFileSync(join(cwd, 'empty'), '');
  writeFileSync(join(cwd, 'picture'), Buffer.from([1, 0, 2]));
  symlinkSync('/etc/passwd', join(cwd, 'link'));
  expect(await readChanges('', place(cwd))).toEqual([
    { heading: 'a.ts  +1 −1', lines: ['1   one', '2 - two', '2 + 2', '3   three'], folded: false },
    { heading: 'gone.txt  +0 −1', lines: ['deleted file mode 100644', '1 - bye'], folded: false },
    { heading: 'empty  +0 −0', lines: ['new file, empty'], folded: false },
    { heading: 'größe.txt  +1 −0', lines: ['new file', '1 + new'], folded: false },
    { heading: 'link  new', lines: [] },
    { heading: 'picture  new', lines: [] },
  ]);
});

test('against a branch, a range or the index; anything else gets a sentence', async () => {
  const { cwd, git } = repository();
  writeFileSync(join(cwd, 'a'), '1\n');
  git('add', '.');
  git('commit', '-qm', 'first');
  git('checkout', '-qb', 'side');
  writeFileSync(join(cwd, 'a'), '2\n');
  git('commit', '-qam', 'second');
  const headings = async (base: string) =>
    (await readChanges(base, place(cwd)))?.map(({ heading }) => heading);
  expect(await headings('main')).toEqual(['a  +1 −1']);
  expect(await headings('main..side')).toEqual(['a  +1 −1']);
  expect(await headings('--staged')).toEqual([]);
  await expect(headings('--output=x')).rejects.toThrow('/diff takes a commit');
  await expect(headings('nosuch')).rejects.toThrow('git knows no commit, branch or range "nosuch".');
  expect(await readChanges('', place(mkdtempSync(join(tmpdir(), 'turnwright-none-'))))).toBeUndefined();
});
