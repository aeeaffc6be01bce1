/** What a command leaves behind counts nowhere else: not in the next session, and not for git outside. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { lacking, runIn, sandboxWith } from '@turnwright/test/sandbox/support.ts';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { repositoryFrom, runsNothing } from '../../src/permissions/commands/own-repository.ts';

let base: string;
let cwd: string;
let mark: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'turnwright-left-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  cwd = join(base, 'work');
  mark = join(base, 'MARK');
  mkdirSync(cwd);
});

const AS_A = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
const git = (...args: string[]) =>
  execFileSync('git', [...AS_A, ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, GIT_EDITOR: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Runs them one after the other in one sandbox; resolves to what was said and remembered. */
async function afterwards(...commands: readonly string[]) {
  const warnings: string[] = [];
  const remembered: string[] = [];
  const sandbox = sandboxWith({ writable: [cwd] }, (line) => warnings.push(line), {
    remember: async (paths) => void remembered.push(...paths),
    isHarmless: async (folder) => {
      const repository = await repositoryFrom(folder, nodeFiles);
      return typeof repository !== 'string' && runsNothing(repository, nodeFiles);
    },
  });
  const said: string[] = [];
  const again = { ...sandbox, close: async () => {} };
  for (const command of commands) said.push(await runIn(cwd, command, {}, again));
  await sandbox.close();
  return {
    warnings: warnings.join('\n'),
    remembered: remembered.map((path) => path.slice(cwd.length + 1)),
    said,
  };
}

describe.skipIf(lacking !== undefined)('what a command in the sandbox leaves behind', () => {
  it('is remembered where it grants rights, at every depth, and nothing else is', async () => {
    mkdirSync(join(cwd, 'old/.claude/skills'), { recursive: true });
    const names = ['.claude', '.turnwright', '.mcp.json', '.claude-plugin', '.turnwright-plugin'];
    const made = names.map((name, at) => join('d/'.repeat(at) || 'e', name));
    const commands = made.map((path) =>
      path.endsWith('.json') ? `mkdir -p ${path}/..; echo > ${path}` : `mkdir -p ${path}`,
    );
    const { warnings, remembered } = await afterwards(
      `mkdir d e; ${commands.join('; ')}; ln -s ../old/.claude e/.turnwright; mkdir -p plain/claude; mkdir -p .claude old/.claude/x`,
    );
    expect(remembered.sort()).toEqual(
      [...made, 'e/.turnwright'].map((path) => path.replaceAll('//', '/')).sort(),
    );
    expect(warnings).toContain('run turnwright trust');
    expect((await afterwards('mkdir plain/more; echo x > e/file')).remembered).toEqual([]);
  });

  describe('of a rebase', () => {
    beforeEach(() => {
      git('init', '-q', '-b', 'main');
      for (const text of ['1', '2', '3']) {
        writeFileSync(join(cwd, 'f'), text);
        git('add', '.');
        git('commit', '-qm', text);
      }
    });

    const stop = `GIT_SEQUENCE_EDITOR="sed -i 1ibreak" git ${AS_A.join(' ')} rebase -q -i HEAD~1`;
    const todo = '.git/rebase-merge/git-rebase-todo';

    it.each(
      everyNth<readonly [string, string]>(3, [
        ['exec', `printf 'exec touch MARK\\n' >> ${todo}`],
        ['x, with blanks', `printf ' \\tx touch MARK\\n' >> ${todo}`],
        ['exec, in front', `sed -i '1iexec touch MARK' ${todo}`],
        ['a list behind a link', `cp ${todo} t; echo 'exec touch MARK' >> t; ln -sf ../../t ${todo}`],
        [
          'a folder behind a link',
          `mv .git/rebase-merge r; echo 'exec touch MARK' >> r/git-rebase-todo; ln -s ../r .git/rebase-merge`,
        ],
        ['a second name', `cp ${todo} .git/t; echo 'exec touch MARK' >> .git/t; ln -f .git/t ${todo}`],
      ]),
    )('runs no command that it put into the list: %s', async (_how, plant) => {
      const { warnings } = await afterwards(stop, plant.replaceAll('MARK', mark));
      expect(warnings).not.toBe('');
      try {
        git('rebase', '--continue');
      } catch {
        // Put aside, there is none to go on with.
      }
      expect(existsSync(mark)).toBe(false);
    });

    it('goes on with all else, and with the commands of who began it', async () => {
      execFileSync('sh', ['-c', stop], { cwd, stdio: 'ignore' });
      writeFileSync(join(cwd, todo), `${readFileSync(join(cwd, todo), 'utf8')}\nexec touch ${mark}\n`);
      const { warnings, said } = await afterwards('echo x > other; git status | head -1');
      expect([warnings, said]).toEqual(['', [expect.stringContaining('rebase in progress')]]);
      git('rebase', '--continue');
      expect(existsSync(mark)).toBe(true);
    });
  });

  describe('in a submodule', () => {
    beforeEach(() => {
      git('init', '-q', '-b', 'main');
      writeFileSync(join(cwd, 'f'), 'f');
      git('add', '.');
      git('commit', '-qm', 'first');
    });

    const made = (folder: string) =>
      `git init -q ${folder}; (cd ${folder}; echo 1 > f; git add f; git ${AS_A.join(' ')} commit -qm s)`;
    const evil = (config: string) => `printf '[core]\\n\\tfsmonitor = "touch MARK; false"\\n' >> ${config}`;

    it.each(
      everyNth<readonly [string, readonly string[]]>(2, [
        ['made and added', [`${made('sub')}; ${evil('sub/.git/config')}; git add sub`]],
        ['made first and added later', [`${made('sub')}; ${evil('sub/.git/config')}`, 'git add sub']],
        ['deeper', [`mkdir -p a/b; ${made('a/b/sub')}; ${evil('a/b/sub/.git/config')}; git add a`]],
        [
          'with a file that leads elsewhere',
          [
            `${made('sub')}; ${evil('sub/.git/config')}; git add sub; mv sub/.git planted; echo 'gitdir: ../planted' > sub/.git`,
          ],
        ],
        [
          'in an index of parts',
          [`${made('sub')}; ${evil('sub/.git/config')}`, 'git add sub; git update-index --split-index'],
        ],
      ]),
    )('runs nothing for git above: %s', async (_how, commands) => {
      const { warnings } = await afterwards(...commands.map((command) => command.replaceAll('MARK', mark)));
      expect(warnings).toContain('submodule');
      git('status');
      git('diff');
      expect(existsSync(mark)).toBe(false);
    });

    it('in the place of one that is not there', async () => {
      const commit = git('rev-parse', 'HEAD').trim();
      git('update-index', '--add', '--cacheinfo', `160000,${commit},lib`);
      git('commit', '-qm', 'lib');
      const { warnings } = await afterwards(
        `${made('lib')}; ${evil('lib/.git/config').replaceAll('MARK', mark)}`,
      );
      expect(warnings).toContain('submodule');
      git('status');
      expect(existsSync(mark)).toBe(false);
    });

    it('keeps one that runs nothing, and a repository that is none', async () => {
      const { warnings } = await afterwards(
        `${made('sub')}; git add sub; ${made('free')}; ${evil('free/.git/config')}`,
      );
      expect(warnings).toBe('');
      expect(['sub/.git', 'free/.git'].map((path) => existsSync(join(cwd, path)))).toEqual([true, true]);
    });
  });
});
