/** What a sandbox keeps from being written where names alone do not say it, and what a killed process leaves behind. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { spawnGroup } from '../../src/util/process/process-tree.ts';
import { lacking, sandboxWith } from './support.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'turnwright-places-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
});

async function run(command: string, writable: readonly string[] = [cwd]): Promise<string> {
  const sandbox = sandboxWith({ writable });
  const launch = await sandbox.isolate({
    program: 'bash',
    args: ['-c', command],
    cwd,
    env: { PATH: process.env['PATH'] ?? '' },
  });
  const group = spawnGroup(launch.program, launch.args, launch);
  let output = '';
  for (const stream of [group.stdout, group.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  await group.ended;
  await group.end(0);
  await launch.release?.();
  await sandbox.close();
  return output;
}

describe.skipIf(lacking !== undefined)('places of a sandbox', () => {
  it.each([
    ['a folder of agents', '.claude/agents', '../docs/agents', 'echo x > docs/agents/evil.md'],
    ['one skill', '.claude/skills/a', '../../docs/agents', 'echo x > docs/agents/SKILL.md'],
    [
      'settings that are not there',
      '.claude/settings.json',
      '../docs/settings.json',
      'echo x > docs/settings.json',
    ],
    ['.mcp.json', '.mcp.json', 'docs/mcp.json', 'echo x > docs/mcp.json'],
    [
      'a folder on the way renamed',
      '.claude/agents',
      '../docs/agents',
      'mv docs d && mkdir -p docs/agents && echo x > docs/agents/evil.md',
    ],
  ])('behind a link lies what grants: %s', async (_name, link, target, command) => {
    mkdirSync(join(cwd, 'docs/agents'), { recursive: true });
    mkdirSync(join(cwd, '.claude/skills'), { recursive: true });
    symlinkSync(target, join(cwd, link));
    expect(await run(`( ${command} ) 2>/dev/null && echo WRITTEN; echo y > docs/free && echo ran`)).toBe(
      'ran\n',
    );
  });

  it.each([40, 38, 17, 31])(
    'no socket of the family %i, which no network of its own holds back',
    async (family) => {
      const script = `use Socket; print socket(my $s, ${family}, SOCK_STREAM, 0) || socket($s, ${family}, SOCK_RAW, 0) ? "open" : $! + 0`;
      expect(await run(`perl -e '${script}'`)).toBe('1');
    },
  );

  it('a git folder that is named itself can be committed to, and not be told to run something', async () => {
    execFileSync('git', ['init', '-q'], { cwd });
    const git = join(cwd, '.git');
    const commit = 'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && echo committed';
    const hook = 'echo x > .git/hooks/pre-commit; echo x >> .git/config; mkdir .git/modules && echo free';
    expect(await run(`${commit}; (${hook}) 2>/dev/null`, [git])).toBe('committed\nfree\n');
    expect(existsSync(join(git, 'hooks/pre-commit'))).toBe(false);
    expect(readdirSync(git)).not.toContain('.claude');
  });

  it('what a killed process held free goes with the next command', async () => {
    execFileSync('git', ['init', '-q'], { cwd });
    for (const name of ['.claude', '.mcp.json', '.npmrc']) mkdirSync(join(cwd, name), { mode: 0o555 });
    writeFileSync(join(cwd, '.git/commondir'), '.\n', { mode: 0o444 });
    expect(await run('git status --short; mkdir .claude/skills; echo x > .mcp.json')).toContain(
      'Read-only file system',
    );
    expect(readdirSync(cwd)).toEqual(['.git']);
    expect(existsSync(join(cwd, '.git/commondir'))).toBe(false);
  });

  it('an empty folder that others made stays', async () => {
    mkdirSync(join(cwd, '.vscode'));
    mkdirSync(join(cwd, '.claude'), { mode: 0o555 });
    await run('true');
    expect(readdirSync(cwd)).toEqual(['.vscode']);
  });
});
