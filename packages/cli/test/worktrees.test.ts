/** `--worktree` and `turnwright worktree`: nothing that was done in a worktree is lost. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, BIN, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { reply, type ScriptedReply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { spawnToKill } from './spawn-to-kill.ts';

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
    cwd,
    encoding: 'utf8',
  });

async function place(...replies: readonly ScriptedReply[]) {
  const root = realpathSync(temporaryFolder());
  const app = join(root, 'app');
  mkdirSync(app);
  git(app, 'init', '-q');
  writeFileSync(join(app, '.gitignore'), 'build/\n');
  writeFileSync(join(app, 'a.txt'), 'one\n');
  git(app, 'add', '.');
  git(app, 'commit', '-qm', 'x');
  const server = await rehearse(...replies);
  const env = { ...against(server), TURNWRIGHT_HOME: join(root, 'home') };
  const call = (...args: string[]) => commandLine(args, { env, cwd: app });
  const work = (...args: string[]) =>
    call('-p', '--permission-mode', 'bypassPermissions', ...args, '--', 'Work.');
  const files = join(root, 'app.worktrees', 'task', 'files');
  return { root, app, env, server, call, work, files };
}

const write = (file_path: string, content: string) => reply(toolUse('Write', { file_path, content }));
const run = (command: string) => reply(toolUse('Bash', { command }));

describe('--worktree', () => {
  it('works in a worktree, which is removed when nothing was changed in it', async () => {
    const { call, work, files, server } = await place(reply('Looked.'));
    const { code, stdout, stderr } = await work('--worktree', 'task');
    expect([code, stdout]).toEqual([0, 'Looked.\n']);
    expect(stderr).toContain(`Working in the worktree task: ${files}`);
    expect(stderr).toContain('Nothing was changed in the worktree task; it is removed.');
    expect(JSON.stringify(server.requests[0]?.body)).toContain(files);
    expect(existsSync(files)).toBe(false);
    expect((await call('worktree', 'list')).stdout).toContain('There are no worktrees');
  });

  it('keeps what was done, as files and as a commit; list, diff, apply, keep and drop', async () => {
    const { app, call, work, files } = await place(
      write('b.txt', 'b\n'),
      run('printf two >> a.txt'),
      reply('Done.'),
    );
    const { code, stderr } = await work('-w', 'task');
    expect(code).toBe(0);
    expect(stderr).toContain(
      `The worktree task stays (2 files were changed): ${files}, refs/turnwright/task.`,
    );
    expect(existsSync(join(app, 'b.txt'))).toBe(false);
    expect(git(app, 'show', 'refs/turnwright/task:b.txt')).toBe('b\n');
    expect(git(app, 'status', '--porcelain')).toBe('');
    const list = await call('worktree', 'list', '--json');
    expect(JSON.parse(list.stdout)).toMatchObject([
      { name: 'task', state: 'left', changed: '2', path: files },
    ]);
    // From within it as well.
    expect((await call('worktree', 'list')).stdout).toMatch(/^task +left +2 /m);
    expect((await call('worktree', 'diff', 'task')).stdout).toContain('+++ b/b.txt');

    expect(await call('worktree', 'drop', 'task')).toMatchObject({ code: 2 });
    expect(readFileSync(join(files, 'b.txt'), 'utf8')).toBe('b\n');
    const kept = await call('worktree', 'keep', 'task');
    expect(kept.stdout).toContain('Committed as refs/turnwright/task: git merge refs/turnwright/task.');
    expect((await call('worktree', 'apply', 'task')).stdout).toContain('2 files changed in');
    expect(readFileSync(join(app, 'a.txt'), 'utf8')).toBe('one\ntwo');
    // Twice changes nothing.
    expect(await call('worktree', 'apply', 'task')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing was changed there'),
    });
    expect(readFileSync(join(app, 'a.txt'), 'utf8')).toBe('one\ntwo');
    expect((await call('worktree', 'drop', 'task', '--force')).stdout).toContain('Removed task');
    expect(existsSync(files)).toBe(false);
    expect(git(app, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(git(app, 'show', 'refs/turnwright/task:b.txt')).toBe('b\n');
  });

  it.each([
    ['an ignored file that is new', 'mkdir build && echo 1 > build/out', 'files that git ignores'],
    ['a commit', 'git -c user.name=T -c user.email=t@e.x commit -qm y --allow-empty', 'a commit was made'],
    [
      'a commit that HEAD has left',
      'git -c user.name=T -c user.email=t@e.x commit -qm y --allow-empty && git reset -q --hard HEAD~1',
      'another commit was checked out or made',
    ],
    [
      'a merge in progress',
      'git rev-parse HEAD > "$(git rev-parse --git-dir)/MERGE_HEAD"',
      'a merge is in progress',
    ],
    ['an inspection that fails', 'echo broken > .git', 'could not be compared'],
  ])('is not empty with %s', async (_, command, why) => {
    const { work, files } = await place(run(command), reply('Done.'));
    const { stderr } = await work('--worktree', 'task');
    expect(stderr).toMatch(/The worktree task stays/);
    expect(stderr).toContain(why);
    expect(existsSync(files)).toBe(true);
  });

  it('kill -9 in the middle: list finds it, and a run goes on in it with the session', async () => {
    const { app, env, call, files, server } = await place(
      write('b.txt', 'b\n'),
      run('echo $$ > pid; sleep 60'),
    );
    await spawnToKill(
      [BIN, '-p', '--permission-mode', 'bypassPermissions', '--worktree', 'task', '--', 'Work.'],
      { cwd: app, env, when: () => (statSync(join(files, 'pid'), { throwIfNoEntry: false })?.size ?? 0) > 0 },
    );
    process.kill(Number(readFileSync(join(files, 'pid'), 'utf8')), 'SIGKILL');
    expect((await call('worktree', 'list')).stdout).toMatch(/^task +left +2 /m);
    server.setScenario({ name: 'on', replies: [reply('Went on.')] });
    const on = await call('-p', '--worktree', 'task', '--continue');
    expect(on).toMatchObject({ code: 0, stdout: 'Went on.\n' });
    expect(on.stderr).toContain(`Going on in the worktree task: ${files}`);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('outcome unknown');
    expect(readFileSync(join(files, 'b.txt'), 'utf8')).toBe('b\n');
  });

  it('says what is wrong: no repository, a name that is none, another process, a worktree that is not there', async () => {
    const { call, work, env } = await place();
    expect(await work('--worktree', '../x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot name a worktree'),
    });
    const bare = await commandLine(['-p', '-w', 'x', '--', 'Work.'], { env, cwd: temporaryFolder() });
    expect(bare).toMatchObject({ code: 2, stderr: expect.stringContaining('no git repository') });
    expect(await call('worktree', 'diff', 'nope')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no worktree "nope".'),
    });
    for (const words of [['list', 'x'], ['diff'], ['keep', 'x', '--force'], ['diff', 'x', '--json'], ['eat']])
      expect((await call('worktree', ...words)).code).toBe(2);
  });
});
