/** What stands in the place of protected files that are not there: for git, for other processes, and after a kill. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lacking, runIn } from '@turnwright/test/sandbox/support.ts';
import { build } from 'esbuild';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { addMcpServer, checkMcpServers } from '../../src/index.ts';

const runner = join(mkdtempSync(join(tmpdir(), 'turnwright-runner-')), 'run-command.mjs');
let cwd: string;

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Resolves once `path` is there. */
async function made(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** A command in a sandbox of another process; it has begun, and ends once there is a file `go`. */
async function inAnotherProcess(command: string): Promise<{ child: ChildProcess; end(): Promise<void> }> {
  const waits = `touch begun; until [ -e go ]; do sleep 0.02; done; ${command}`;
  const child = spawn(process.execPath, [runner, cwd, waits], { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  await made(join(cwd, 'begun'));
  return {
    child,
    async end() {
      writeFileSync(join(cwd, 'go'), '');
      await ended;
    },
  };
}

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL('run-command.ts', import.meta.url))],
    outfile: runner,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@anthropic-ai/sandbox-runtime'],
    logLevel: 'silent',
  });
});
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'turnwright-held-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
});

const GRANT = '(mkdir -p .claude/skills; echo x > .mcp.json; echo x > .npmrc) 2>/dev/null';

describe.skipIf(lacking !== undefined)('what holds the place of a protected file', () => {
  describe('git', () => {
    beforeEach(() => {
      git('init', '-q');
      writeFileSync(join(cwd, 'kept'), 'a');
      git('add', 'kept');
      git('commit', '-qm', 'first');
    });
    const settings = 'git config --file /tmp/c user.name a; git config --file /tmp/c user.email a@b';
    const run = (command: string) => runIn(cwd, `${settings}; export GIT_CONFIG_GLOBAL=/tmp/c; ${command}`);

    it('names none of it, stashes none of it and cleans round it', async () => {
      expect(await run('echo x > new; git status --porcelain')).toBe('?? new\n');
      expect(
        await run('git stash -q -u && git status --porcelain && git stash pop -q >/dev/null && cat new'),
      ).toBe('x\n');
      expect(await run('git clean -fdq && echo clean; ls')).toBe('clean\nkept\n');
      expect(await run('git add -A && git status --porcelain; git checkout -qb other && echo ok')).toBe(
        'ok\n',
      );
    });

    it('keeps to the ignored files of the repository', async () => {
      writeFileSync(join(cwd, '.git', 'info', 'exclude'), '*.log');
      expect(await run('touch a.log b; git status --porcelain')).toBe('?? b\n');
    });

    it('that cleans ignored files too says of the folders that they are in use, and removes all else', async () => {
      writeFileSync(join(cwd, '.git', 'info', 'exclude'), '*.log\n');
      const said = await run('touch a.log b; git clean -fdxq; echo $?; ls');
      expect(said).toMatch(/failed to remove \.claude\/: Device or resource busy/);
      expect(said).toMatch(/^1\nkept$/m);
    });

    it('outside sees nothing of it either', async () => {
      const other = await inAnotherProcess('true');
      expect(existsSync(join(cwd, '.mcp.json'))).toBe(true);
      rmSync(join(cwd, 'begun'));
      const said = execFileSync(
        'sh',
        ['-c', '(git status --porcelain; git add -An .; git log --oneline -p -1 >/dev/null) 2>&1'],
        { cwd },
      );
      expect(String(said)).toBe('');
      await other.end();
    });
  });

  it('is read as empty and cannot be written', async () => {
    expect(await runIn(cwd, 'cat .npmrc .mcp.json && ls .claude && echo empty')).toBe('empty\n');
    expect(await runIn(cwd, 'echo x > .npmrc')).toMatch(/Read-only file system/);
    expect(await runIn(cwd, 'mkdir .claude/skills')).toMatch(/Read-only file system/);
  });

  it('stays for the command of another process when the first ends, and goes with the last', async () => {
    const other = await inAnotherProcess(`${GRANT}; rm -f begun go`);
    await runIn(cwd, 'true');
    expect(existsSync(join(cwd, '.claude'))).toBe(true);
    await other.end();
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('stays for the command of this process when another ends that came first', async () => {
    const other = await inAnotherProcess('true');
    const mine = runIn(cwd, `touch mine; until [ -e on ]; do sleep 0.02; done; ${GRANT}; rm -f mine on`);
    await made(join(cwd, 'mine'));
    await other.end();
    writeFileSync(join(cwd, 'on'), '');
    await mine;
    expect(readdirSync(cwd).sort()).toEqual(['begun', 'go']);
  });

  it('is shared where what must not be read is not there', async () => {
    mkdirSync(join(cwd, 'work'));
    const deniedReads = [{ root: cwd, segments: ['secret'] }];
    const hidden = {
      home: cwd,
      hiddenPaths: [join(cwd, '.claude')],
      credentialPaths: [join(cwd, '.ssh')],
      deniedReads,
    };
    const first = runIn(cwd, 'touch begun; until [ -e go ]; do sleep 0.02; done', hidden);
    await made(join(cwd, 'begun'));
    expect(await runIn(cwd, `${GRANT}; mkdir secret 2>/dev/null; echo ran; touch go`, hidden)).toBe('ran\n');
    await first;
    expect(readdirSync(cwd).sort()).toEqual(['begun', 'go', 'work']);
  });

  it('goes with the next command when its process was killed', async () => {
    git('init', '-q');
    const other = await inAnotherProcess('true');
    other.child.kill('SIGKILL');
    await new Promise((resolve) => other.child.once('exit', resolve));
    expect(readdirSync(cwd)).toContain('.claude');
    expect(readdirSync(join(cwd, '.git'))).toContain('commondir');
    await runIn(cwd, `git status --short; ${GRANT}`);
    expect(readdirSync(cwd).sort()).toEqual(['.git', 'begun']);
    expect(readdirSync(join(cwd, '.git'))).not.toContain('commondir');
  });

  it('is a folder that others can use outside: what they put there stays', async () => {
    const other = await inAnotherProcess(`${GRANT}; cat .claude/settings.json > seen 2>&1`);
    writeFileSync(join(cwd, '.claude', 'settings.json'), '{}');
    await other.end();
    expect(readdirSync(join(cwd, '.claude'))).toEqual(['settings.json']);
    expect(statSync(join(cwd, '.claude')).mode & 0o7777).toBe(0o755);
    expect(execFileSync('cat', [join(cwd, 'seen')], { encoding: 'utf8' })).toMatch(/No such file/);
  });

  it('is nothing to another session in the folder, which can put something in its place', async () => {
    const other = await inAnotherProcess('true');
    const lines: string[] = [];
    const place = {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', TURNWRIGHT_HOME: join(cwd, 'home') },
    };
    const found = await checkMcpServers({
      ...place,
      projectTrusted: true,
      stderr: (line: string) => lines.push(line),
    } as object);
    expect([found, lines]).toEqual([[], []]);
    await addMcpServer('added', { command: 'true' }, { ...place, scope: 'project' });
    expect(readFileSync(join(cwd, '.mcp.json'), 'utf8')).toContain('added');
    await other.end();
    expect(readFileSync(join(cwd, '.mcp.json'), 'utf8')).toContain('added');
  });

  it('is nothing that others made: an empty folder of theirs stays', async () => {
    mkdirSync(join(cwd, '.vscode'));
    await runIn(cwd, 'true');
    expect(readdirSync(cwd)).toEqual(['.vscode']);
  });
});
