/** Files that a command cannot write: a sentence says which, why and what to do, and nothing is left half-written. */
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BIN, bareEnv, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { expect, test } from 'vitest';

const COMMANDS: readonly (readonly [string, readonly string[], string])[] = [
  ['init', ['init'], '.turnwright/settings.json'],
  ['init --local', ['init', '--local'], '.turnwright/settings.local.json'],
  ['mcp add', ['mcp', 'add', 'box', '--scope', 'project', '--', 'box'], '.mcp.json'],
  ['login --helper', ['login', '--helper', 'echo key', '--no-check'], 'settings.json'],
];

test.each(COMMANDS)('%s, where no byte can be written', (_, args, file) => {
  const cwd = temporaryFolder();
  const env = bareEnv();
  // For a disk that is full: a process that may not make a file of one byte.
  const limited = ['-c', 'ulimit -f 0; exec "$0" "$@"', process.execPath, BIN, ...args];
  const ran = spawnSync('sh', limited, { cwd, env, encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^turnwright: \/\S+ cannot be used: it would be larger .* \(EFBIG\)\. See /);
  expect(ran.stderr).toContain(`/${file} cannot be used`);
  for (const folder of [cwd, env['HOME'] as string])
    expect(readdirSync(folder, { recursive: true }).filter((name) => /json|tmp/.test(`${name}`))).toEqual([]);
});

test.each(COMMANDS.filter(([name]) => name !== 'mcp add'))(
  '%s, where its folder is a file',
  async (_, args, file) => {
    const cwd = temporaryFolder();
    const env = { ...bareEnv(), TURNWRIGHT_HOME: join(temporaryFolder(), 'home') };
    const blocked = dirname(join(args[0] === 'init' ? cwd : env.TURNWRIGHT_HOME, file));
    writeFileSync(blocked, '');
    const ran = await commandLine(args, { cwd, env });
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain(blocked);
    expect(ran.stderr).not.toMatch(/^turnwright: E[A-Z]+:/);
  },
);

test('--version that cannot be written is no success', () => {
  const ran = spawnSync('sh', ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, BIN, '--version']);
  expect(ran.status).toBe(1);
});
