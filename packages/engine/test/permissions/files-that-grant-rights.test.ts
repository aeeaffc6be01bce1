/** Whatever grants is protected like settings: writing it takes a person in every mode but bypass, and no rule lifts that. */
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { everyNth } from '@turnwright/test/long-form.ts';
import { question, TOOLS, unchangingFiles } from '@turnwright/test/permissions/ask-doubles.ts';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';
import type { PermissionQuestion } from '../../src/protocol/tools/gate-ports.ts';

let root: string;
let cwd: string;
let files: ReturnType<typeof unchangingFiles>;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-grants-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  cwd = join(root, 'work');
  await mkdir(join(cwd, 'sub'), { recursive: true });
  files = unchangingFiles();
});

const ALLOWED = ['Bash', 'Write', 'Edit', 'Write(//**)', 'Edit(//**)'];
async function verdict(
  path: string,
  options: Partial<PermissionOptions> = {},
  more: Partial<PermissionQuestion> = {},
): Promise<string> {
  const permissions = createPermissions({ allow: ALLOWED, files, home: root, ...options });
  const of = async (tool: 'Write' | 'Edit' | 'Bash', input: Record<string, string>) =>
    (await permissions.decide(question(TOOLS[tool], input, cwd, more))).kind;
  const kinds = [
    await of('Write', { path: join(cwd, path) }),
    await of('Edit', { path: join(cwd, path) }),
    await of('Bash', { command: `echo x > '${path}'` }),
    await of('Bash', { command: `cp a.txt '${path}'` }),
  ];
  return [...new Set(kinds)].join(' ');
}

const PARTS = [
  'skills/evil/SKILL.md',
  'skills/evil/scripts/run.sh',
  'agents/evil.md',
  'commands/evil.md',
  'commands/sub/evil.md',
  'output-styles/evil.md',
  'rules/evil.md',
  'hooks/evil.sh',
  'plugins/evil/hooks/hooks.json',
  'settings.json',
  'settings.local.json',
  'CLAUDE.md',
  'anything/new',
  'worktrees',
];
const FOLDERS = [
  '.claude',
  '.turnwright',
  'sub/.claude',
  'sub/deep/.turnwright',
  '.CLAUDE',
  '.Turnwright',
  '.claude.',
];
const GRANTING = [
  ...everyNth(
    9,
    FOLDERS.flatMap((folder) => PARTS.map((part) => `${folder}/${part}`)),
  ),
  '.mcp.json',
  'sub/.mcp.json',
  '.claude',
  '.turnwright',
  '.claude-plugin/plugin.json',
  'sub/.turnwright-plugin/plugin.json',
  '.claude/worktrees/tree/.claude/skills/evil/SKILL.md',
  '.claude/worktrees/tree/.mcp.json',
  '.claude/worktrees/../skills/evil/SKILL.md',
  '.claude/rules/.claude/worktrees/tree/evil.md',
  'sub/.turnwright/skills/.claude/worktrees/SKILL.md/SKILL.md',
  '.claude/worktrees/tree/.claude/agents/.claude/worktrees/tree/evil.md',
];

describe('what grants', () => {
  it.each(GRANTING)('%s is asked about in every mode but bypass, whatever rules allow', async (path) => {
    expect(await verdict(path)).toBe('ask');
    expect(await verdict(path, { mode: 'acceptEdits' })).toBe('ask');
    expect(await verdict(path, { mode: 'dontAsk' })).toBe('deny');
    const bypass = { mode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;
    expect(await verdict(path, bypass)).toBe('allow');
  });

  it('by another name: a link to the folder', async () => {
    await mkdir(join(cwd, '.claude/skills'), { recursive: true });
    await symlink(join(cwd, '.claude/skills'), join(cwd, 'innocent'));
    expect(await verdict('innocent/evil/SKILL.md', { mode: 'acceptEdits' })).toBe('ask');
  });

  it.each([
    ['.claude/agents', 'docs/agents', 'docs/agents/evil.md'],
    ['.claude/skills', 'docs/skills', 'docs/skills/evil/SKILL.md'],
    ['.turnwright/skills/one', 'docs/skills/one', 'docs/skills/one/SKILL.md'],
    ['.claude/commands/sub/deep', 'docs/commands', 'docs/commands/evil.md'],
    ['.claude', 'docs', 'docs/hooks/evil.sh'],
    ['.mcp.json', 'docs', 'docs'],
  ])('behind the link %s: what lies in %s', async (link, target, path) => {
    await mkdir(join(cwd, target), { recursive: true });
    await mkdir(dirname(join(cwd, link)), { recursive: true });
    await symlink(join(cwd, target), join(cwd, link));
    expect(await verdict(path)).toBe('ask');
    expect(await verdict(path, { mode: 'acceptEdits' })).toBe('ask');
    expect(await verdict('other/free.md', { mode: 'acceptEdits' })).toBe('allow');
  });

  it.each([
    'CLAUDE.md',
    'CLAUDE.local.md',
    'AGENTS.md',
    'sub/CLAUDE.md',
    'src/skills/evil/SKILL.md',
    'claude/agents/a.md',
    'my.claude/a.md',
    '.claudette/a.md',
    'docs/.claude.md',
    'plugins/a.ts',
    '.claude/worktrees/tree/src/a.ts',
    '.claude/worktrees/tree/CLAUDE.md',
    'sub/.turnwright/worktrees/tree/a.ts',
    '.claude/worktrees/tree/.claude/worktrees/another/a.ts',
  ])('%s is not', async (path) => {
    expect(await verdict(path)).toBe('allow');
    expect(await verdict(path, { mode: 'acceptEdits' })).toBe('allow');
  });
});

describe('folders that grant wherever they lie', () => {
  const inForce = (path: string, except?: string) => ({
    mode: 'acceptEdits' as const,
    protectedFolders: () => [{ path, except }],
  });

  it.each([
    'trusted-folders.json',
    'granted-directories.json',
    'mcp-tool-pins.json',
    'skills/a/SKILL.md',
    'CLAUDE.md',
  ])('the configuration home as the working directory: %s', async (file) => {
    expect(await verdict(file, inForce(cwd))).toBe('ask');
    expect(await verdict(`home/${file}`, inForce(join(cwd, 'home')))).toBe('ask');
    expect(await verdict(`home/${file}`, inForce(join(cwd, 'HOME')))).toBe('ask');
  });

  it('also by a link, and named by one', async () => {
    await mkdir(join(root, 'home'));
    await symlink(join(root, 'home'), join(cwd, 'link'));
    expect(await verdict('link/settings', inForce(join(root, 'home')))).toBe('ask');
    expect(await verdict('../home/settings', inForce(join(cwd, 'link')))).toBe('ask');
  });

  it('what is beside them is free, and so is a project in them', async () => {
    expect(await verdict('homely/a.ts', inForce(join(cwd, 'home')))).toBe('allow');
    expect(await verdict('a.ts', inForce(root, cwd))).toBe('allow');
    expect(await verdict('../settings.json', inForce(root, cwd))).toBe('ask');
  });

  it('an agent’s own notes are free, and what grants among them is not', async () => {
    const own = { ownDirectories: [join(cwd, '.claude/agent-memory/scribe')] };
    expect(await verdict('.claude/agent-memory/scribe/MEMORY.md', {}, own)).toBe('allow');
    expect(await verdict('.claude/agent-memory/scribe/.mcp.json', {}, own)).toBe('ask');
    expect(await verdict('.claude/agent-memory/other/MEMORY.md', {}, own)).toBe('ask');
  });
});

it.each(['CLAUDE.md', 'sub/AGENTS.md', 'claude.local.md'])(
  '%s is asked about where memory may import any file',
  async (path) => {
    expect(await verdict(path, { mode: 'acceptEdits', memoryImportsAnywhere: true })).toBe('ask');
  },
);
