/** What a sandbox keeps from being written where names alone do not say it. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PROTECTED_NAMES } from '@turnwright/base/files/protected-names.ts';
import { lacking, runIn } from '@turnwright/test/sandbox/support.ts';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'turnwright-places-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
});

const run = (command: string, writable: readonly string[] = [cwd]) => runIn(cwd, command, { writable });

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

  it('whatever is protected by its name is written in no folder; what builds and installations write is', async () => {
    const named = PROTECTED_NAMES.filter(({ where }) => where === 'anywhere' || where === 'below').filter(
      ({ path, where }) => where === 'below' || !path.includes('/'),
    );
    const files = named.map(({ path, kind }) => join('sub/deep', path, kind === 'folder' ? 'file' : ''));
    const there = files.map((file) => file.replace(/\/$/, ''));
    for (const file of there) {
      mkdirSync(join(cwd, dirname(file)), { recursive: true });
      writeFileSync(join(cwd, file), 'as it was');
    }
    const free = ['.cargo/registry/x', '.mvn/wrapper/x.jar', '.yarn/cache/x', 'node_modules/.bin/x', 'src/x'];
    const absent = ['.devcontainer/devcontainer.json', '.cursor/mcp.json'];
    for (const path of free) mkdirSync(join(cwd, 'sub/deep', dirname(path)), { recursive: true });
    const write = (paths: readonly string[]) =>
      paths.map((path) => `(echo x > ${path} && echo "wrote ${path}") 2>/dev/null`);
    const made = 'mkdir -p .devcontainer .cursor 2>/dev/null';
    const said = await run([made, ...write([...there, ...absent]), 'cd sub/deep', ...write(free)].join('\n'));
    expect(said.trim().split('\n')).toEqual(free.map((path) => `wrote ${path}`));
    expect(there.filter((file) => readFileSync(join(cwd, file), 'utf8') !== 'as it was')).toEqual([]);
  });

  it('a git folder that is named itself accepts commits, and no settings that run something', async () => {
    execFileSync('git', ['init', '-q'], { cwd });
    const git = join(cwd, '.git');
    const commit = 'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && echo committed';
    const hook =
      'echo x > .git/hooks/pre-commit; echo x >> .git/config; mkdir .git/modules; mkdir .git/other && echo free';
    expect(await run(`${commit}; (${hook}) 2>/dev/null`, [git])).toBe('committed\nfree\n');
    expect(existsSync(join(git, 'hooks/pre-commit'))).toBe(false);
    expect(readdirSync(git)).not.toContain('.claude');
  });
});
