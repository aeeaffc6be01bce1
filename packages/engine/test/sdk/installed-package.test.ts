/** The built library as it is installed: it writes nothing beside itself, and a bundler can take it along. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Asks once with a tool, and prints the answer. */
const PROGRAM = `
import { createSdkMcpServer, query, tool } from 'turnwright';
import { z } from 'zod';
const [cwd, url] = process.argv.slice(2);
const add = tool('add', 'Adds.', { a: z.number() }, async ({ a }) => ({ content: [{ type: 'text', text: String(a + 1) }] }));
const mcpServers = { box: createSdkMcpServer({ name: 'box', tools: [add] }) };
const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: cwd, PATH: process.env.PATH };
for await (const message of query({ prompt: 'Go.', options: { cwd, env, mcpServers, allowedTools: ['mcp__box'] } })) {
  if (message.type === 'result') console.log(message.subtype, message.result);
}
`;

let server: RehearsalServer;
beforeAll(async () => {
  server = await startRehearsal();
});
afterAll(() => server.close());

let folder: string;
let installed: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwright-installed-'));
  const modules = join(folder, 'node_modules');
  installed = join(modules, 'turnwright');
  mkdirSync(installed, { recursive: true });
  for (const part of ['package.json', 'dist'])
    cpSync(join(root, part), join(installed, part), { recursive: true });
  symlinkSync(join(root, 'node_modules', 'zod'), join(modules, 'zod'));
  writeFileSync(join(folder, 'program.mjs'), PROGRAM);
});
afterEach(() => {
  setMode(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

async function runs(program: string): Promise<void> {
  server.setScenario({ name: 'add', replies: [reply(toolUse('mcp__box__add', { a: 1 })), reply('Two.')] });
  const home = mkdtempSync(join(folder, 'home-'));
  const said = await promisify(execFile)(process.execPath, [join(folder, program), home, server.url], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
  });
  expect(said).toEqual({ stdout: 'success Two.\n', stderr: '' });
}

/** Every file and folder of the installed package, with its size and its time. */
function contents(): readonly string[] {
  return readdirSync(installed, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, stats: statSync(join(installed, name)) }))
    .map(({ name, stats }) => `${name} ${stats.isFile() ? stats.size : ''} ${stats.mtimeMs}`)
    .sort();
}

/** Of all folders beneath, too. */
function setMode(path: string, mode: number): void {
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) setMode(join(path, entry.name), mode);
  chmodSync(path, mode);
}

describe('the installed library', () => {
  it('writes nothing into its package, which may be read-only', async () => {
    setMode(installed, 0o500);
    const before = contents();
    await runs('program.mjs');
    expect(contents()).toEqual(before);
  });

  it('writes nothing into a package that it could write', async () => {
    const before = contents();
    await runs('program.mjs');
    expect(contents()).toEqual(before);
  });

  it('can be bundled, and needs no file of the package then', async () => {
    await build({
      entryPoints: [join(folder, 'program.mjs')],
      outdir: join(folder, 'bundled'),
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      outExtension: { '.js': '.mjs' },
      external: ['@vscode/ripgrep'],
      logLevel: 'error',
    });
    rmSync(join(folder, 'node_modules'), { recursive: true });
    await runs('bundled/program.mjs');
  });
});
