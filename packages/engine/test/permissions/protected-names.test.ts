/** What is protected is one table: each row is asked about by the rules, and kept from being written by either sandbox. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { PROTECTED_NAMES } from '@turnwright/base/files/protected-names.ts';
import { compiledCode } from '@turnwright/base/process/compile-cache.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { CLOSED } from '@turnwright/test/sandbox/support.ts';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { ASKED_ANYWHERE, ASKED_AT_HOME } from '../../src/permissions/decide/asked-names.ts';
import { createPermissions } from '../../src/permissions/permission-engine.ts';
import { seatbeltProfile } from '../../src/sandbox/macos/seatbelt-profile.ts';
import { placesBelow } from '../../src/sandbox/places/protected-places.ts';
import { call, fileCalls } from '../sdk/file-calls.ts';

const temp = await tempFolder();
afterAll(() => temp.remove());

/** The names that stand for a row, from the home folder. */
const LOCKED = PROTECTED_NAMES.map(({ path, where, written }) => ({
  name: where === 'git' ? `sub/.git/${path}` : path,
  where: where as string,
  written,
}));
const FILES = [
  ...LOCKED,
  ...ASKED_ANYWHERE.map((path) => ({ name: path.replaceAll('*', 'any'), where: 'anywhere' })),
  ...ASKED_AT_HOME.map((name) => ({ name, where: 'home' })),
];

/** What mode acceptEdits, with rules that allow everything, says to a write there. */
const verdict = async (path: string, home: string) =>
  (
    await createPermissions({
      files: nodeFiles,
      home,
      allow: ['Write', 'Write(//**)'],
      mode: 'acceptEdits',
    }).decide(question(TOOLS.Write, { path }, home))
  ).kind;

it('a name has one owner: what the sandbox locks is not listed among what only the rules ask about', () => {
  const asked = [...ASKED_ANYWHERE, ...ASKED_AT_HOME];
  expect(PROTECTED_NAMES.filter(({ path }) => asked.includes(path))).toEqual([]);
  expect(new Set(asked).size).toBe(asked.length);
});

describe('a write is asked about', () => {
  it.each(FILES)('$name, itself and what lies in it, in any letter case', async ({ name, where }) => {
    for (const path of [name, `${name}/new`, name.toUpperCase()])
      if (where !== 'home' || path !== name.toUpperCase())
        expect(await verdict(join(temp.path, path), temp.path)).toBe('ask');
    const deeper = join(temp.path, 'deeper', name);
    expect(await verdict(deeper, temp.path)).toBe(where === 'home' ? 'allow' : 'ask');
  });

  it.each([
    ...['.git', '.git/HEAD', '.git/index', '.git/rebase-merge/git-rebase-todo', '.git/refs/heads/main'],
    ...[
      '.git/objects/info/alternates',
      '.git/packed-refs',
      '.git/sequencer/todo',
      '.git/BISECT_RUN',
      '.git/info/grafts',
    ],
    ...[
      '.git/info/exclude/x',
      '.git/modules/a/HEAD',
      '.git/worktrees/w/index',
      '.git/logs/HEAD',
      '.git/lfs/hooks/x',
    ],
    ...['.vscode/mcp.json', '.vscode/extensions.json', '.idea/runConfigurations/run.xml', '.vscode/a/b.json'],
    ...[
      '.devcontainer/devcontainer.json',
      '.cargo/config.toml',
      '.mvn/extensions.xml',
      '.yarn/releases/yarn.cjs',
    ],
    ...[
      'app.code-workspace',
      '.cursor/mcp.json',
      '.codex/config.toml',
      '.gemini/settings.json',
      '.zed/tasks.json',
    ],
    ...[
      '.run/all.run.xml',
      '.hg/hgrc',
      '.envrc.local',
      'node_modules/.bin/tsc',
      '.config/autostart/x.desktop',
    ],
    ...['.config/systemd/user/x.service', '.config/nvim/init.lua', '.local/bin/git'],
  ])('%s', async (name) => {
    expect(await verdict(join(temp.path, name), temp.path)).toBe('ask');
  });

  it.each([
    ...[
      '.git/COMMIT_EDITMSG',
      '.git/info/exclude',
      '.git/modules/a/MERGE_MSG',
      '.git/worktrees/w/COMMIT_EDITMSG',
    ],
    ...[
      'package.json',
      'Makefile',
      '.github/workflows/ci.yml',
      'src/main.ts',
      'README.md',
      '.gitignore',
      '.editorconfig',
    ],
    ...[
      '.nvmrc',
      '.eslintrc.json',
      '.prettierrc',
      '.env',
      '.dockerignore',
      'Dockerfile',
      'Cargo.toml',
      'pom.xml',
    ],
    ...[
      'tsconfig.json',
      'misery.toml',
      'lefthook.md',
      'vscode/settings.json',
      'git/config',
      'node_modules/a/index.js',
    ],
    ...[
      'a.code-workspaces',
      'notes/.vimrc.md',
      'deeper/.config/nvim/init.lua',
      '.gitattributes',
      '.tool-versions',
    ],
  ])('not %s', async (name) => {
    expect(await verdict(join(temp.path, name), temp.path)).toBe('allow');
  });
});

describe.each(everyNth(2, LOCKED))('$name', ({ name, where, written }) => {
  const home = join(temp.path, name.replaceAll('/', '_'));

  // What git writes as it works is looked at after each command: packages/engine/test/sandbox/left-behind.test.ts.
  it.runIf(written !== true)('is not written in the sandbox, whether it is there or not', async () => {
    const look = () => placesBelow({ root: home, isGit: false, home, deniedReads: [], deniedWrites: [] });
    const covers = (paths: readonly string[]) =>
      paths.some((path) => join(home, name) === path || join(home, name).startsWith(`${path}/`));
    await mkdir(dirname(join(home, name)), { recursive: true });
    const before = await look();
    // Builds write what lies beside these, and read what holds the place of a missing one.
    const mayCome = name.endsWith('/gitdir') || where === 'below';
    expect(covers([...before.absent, ...before.readOnly, ...before.ownFolder]) || mayCome).toBe(true);
    await writeFile(join(home, name), 'x');
    expect(covers((await look()).readOnly)).toBe(true);
  });

  it.runIf(written !== true)('is not written in the sandbox of macOS', () => {
    const policy = { ...CLOSED, home };
    const locked = seatbeltProfile({
      policy,
      writable: [{ path: home, isGit: false }],
      tmp: '/tmp/t',
      proxyPorts: [],
    })
      .split('\n')
      .filter((line) => /^\(deny file-write(?:\*|-create) /.test(line))
      .join('\n');
    const path = join(home, name);
    const patterns = [...locked.matchAll(/\(regex #"(.*?)"\)/g)].map(([, text = '']) => new RegExp(text));
    const folders = [...locked.matchAll(/\(subpath "(.*?)"\)/g)].map(([, folder = '']) => folder);
    expect(
      patterns.some((each) => each.test(path)) ||
        folders.some((folder) => path === folder || isInside(path, folder)),
    ).toBe(true);
  });
});

it('no other file keeps a list of its own', async () => {
  const sources = [
    'packages/engine/src/permissions/decide/protected-path.ts',
    'packages/engine/src/permissions/commands/accepted-edits.ts',
    'packages/engine/src/sandbox/places/protected-places.ts',
    'packages/engine/src/sandbox/macos/seatbelt-profile.ts',
  ];
  for (const source of sources) {
    const text = await readFile(new URL(`../../../../${source}`, import.meta.url), 'utf8');
    for (const { path, where } of PROTECTED_NAMES)
      if (where === 'anywhere') expect(text, `${source}: ${path}`).not.toContain(`'${path}'`);
  }
});

describe('compiled code of the command line', () => {
  it('is protected where the environment puts it', () => {
    const home = temp.path;
    expect(compiledCode({ HOME: home }, 'linux')).toEqual([`${home}/.cache/turnwright`]);
    expect(compiledCode({ HOME: home, XDG_CACHE_HOME: '/var/x' }, 'linux')).toEqual(['/var/x/turnwright']);
    expect(compiledCode({ HOME: home, NODE_COMPILE_CACHE: '/var/n' }, 'darwin')).toEqual([
      `${home}/Library/Caches/turnwright`,
      '/var/n',
    ]);
    expect(compiledCode({}, 'linux')).toEqual([]);
  });

  it('a session asks before it writes there, whatever the rules', async () => {
    const files = await fileCalls();
    onTestFinished(() => files.close());
    const path = files.at('caches/turnwright/v24-x64/a');
    for (const [caches, allowed] of [
      [files.at('caches'), false],
      [files.at('elsewhere'), true],
    ] as const) {
      const env = {
        ANTHROPIC_BASE_URL: files.server.url,
        ANTHROPIC_API_KEY: 'k',
        HOME: files.outside,
        XDG_CACHE_HOME: caches,
      };
      const calls = [call('Write', { file_path: path, content: 'x' })];
      const [answer] = await files.answers(calls, {
        permissionMode: 'acceptEdits',
        allowedTools: ['Write', 'Edit'],
        env,
      });
      const asked = answer?.text.includes('decides what may run later');
      expect(asked).toBe(!allowed);
    }
  });
});
