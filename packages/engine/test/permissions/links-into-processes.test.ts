/**
 * Links into `/proc` lead each process somewhere else: a planted one leads a command back into the working directory, and
 * the engine, which judges it, into its own.
 */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';
import type { AnyTool } from '../../src/protocol/tools/tool.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'proj');

beforeAll(async () => {
  for (const name of ['secrets', 'locked', 'pub', 'src']) await mkdir(join(cwd, name), { recursive: true });
  for (const name of ['secrets/key', 'locked/f.txt', 'pub/a.txt', '.env', 'src/a.ts'])
    await writeFile(join(cwd, name), 'x\n');
  for (const [name, target] of [
    ['lcwd', '/proc/self/cwd'],
    ['lself', '/proc/self'],
    ['lpid', `/proc/${process.pid}/root`],
    ['lthread', '/proc/thread-self/cwd'],
    ['lfd', '/dev/fd/3'],
    ['lfds', '/proc/self/fd'],
    ['lrelative', `${'../'.repeat(cwd.split('/').length)}proc/self/cwd`],
    ['ltwice', 'lcwd'],
    ['pub/lcwd', '/proc/self/cwd'],
    ['pub/up', '..'],
    ['dangling', 'not-yet'],
  ] as const)
    await symlink(target, join(cwd, name));
});
afterAll(() => folder.remove());

const decide = async (tool: AnyTool, input: object, options: Partial<PermissionOptions>) =>
  (
    await createPermissions({
      files: nodeFiles,
      home: folder.path,
      allowDangerouslySkipPermissions: true,
      ...options,
    }).decide(question(tool, { ...input }, cwd))
  ).kind;

async function kindsBeside(command: string, deny: string): Promise<string> {
  const beside = await decide(TOOLS.Bash, { command }, { allow: ['Bash'], deny: [deny] });
  expect(await decide(TOOLS.Bash, { command }, { mode: 'bypassPermissions', deny: [deny] })).toBe(beside);
  const unasked = await decide(TOOLS.Bash, { command }, { mode: 'dontAsk', allow: ['Bash'], deny: [deny] });
  expect(unasked).toBe(beside === 'allow' ? 'allow' : 'deny');
  return beside;
}

describe.runIf(process.platform === 'linux')('commands', () => {
  it.each([
    'cat lcwd/secrets/key',
    'cat ltwice/secrets/key',
    'cat lrelative/secrets/key',
    'cat lself/cwd/secrets/key',
    'cat lself/task/1/cwd/secrets/key',
    `cat lpid${cwd}/secrets/key`,
    'cat lthread/secrets/key',
    'cat lfd/secrets/key',
    'cat lfds/7/secrets/key',
    'cat lcwd/secr*/key',
    'cat lc?d/secrets/k*',
    'cat l*/secrets/key',
    'cat < lcwd/secrets/key',
    'cd lcwd && cat secrets/key',
    'cd pub && cat ../lcwd/../secrets/key',
    'grep -r x lcwd',
    'cp -r lcwd/. /tmp/x',
    'ln -s /proc/self/cwd there; cat there/secrets/key',
    'find lcwd/ -type f -exec cat {} +',
    'grep -R x pub',
    'cat dangling/key',
  ])('Read(secrets/**) holds for %j', async (command) => {
    expect(await kindsBeside(command, 'Read(secrets/**)')).not.toBe('allow');
  });

  it.each([
    'echo x > lcwd/locked/f.txt',
    'rm -rf lcwd/locked',
    'tee lcwd/locked/f.txt',
    'cp a lself/cwd/locked/',
  ])('Edit(locked/**) holds for %j', async (command) => {
    expect(await kindsBeside(command, 'Edit(locked/**)')).not.toBe('allow');
  });

  it.each(['cat /dev/stdin', 'echo x > /dev/stderr', 'echo x | tee /dev/stderr', 'cat missing/../src/a.ts'])(
    'what is open already, or is not there, is none: %j',
    async (command) => {
      expect(await kindsBeside(command, 'Read(.env)')).toBe('allow');
      expect(await kindsBeside(command, 'Edit(locked/**)')).toBe('allow');
    },
  );

  it('nothing is said to lie inside that lies there for one process alone', async () => {
    expect(await decide(TOOLS.Bash, { command: 'cat lcwd/src/a.ts' }, {})).toBe('ask');
    expect(await decide(TOOLS.Bash, { command: 'echo x > lcwd/b.txt' }, { mode: 'acceptEdits' })).toBe('ask');
  });
});

describe.runIf(process.platform === 'linux')('file tools', () => {
  it.each(['lcwd', 'lself/cwd', 'ltwice', `lpid${cwd}`, 'lfds/7'])('a path by way of %s', async (way) => {
    const deny = ['Read(secrets/**)', 'Edit(locked/**)'];
    const read = { path: join(cwd, way, 'secrets/key') };
    const write = { path: join(cwd, way, 'locked/f.txt') };
    expect(await decide(TOOLS.Read, read, { mode: 'bypassPermissions', deny })).toBe('deny');
    expect(await decide(TOOLS.Grep, { path: join(cwd, way) }, { mode: 'bypassPermissions', deny })).toBe(
      'deny',
    );
    expect(await decide(TOOLS.Write, write, { mode: 'bypassPermissions', deny })).toBe('deny');
    expect(await decide(TOOLS.Read, read, {})).toBe('ask');
    expect(await decide(TOOLS.Write, write, { mode: 'acceptEdits' })).toBe('ask');
  });
});
