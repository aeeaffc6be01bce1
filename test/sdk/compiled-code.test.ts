/** What the built library keeps beside itself, and what becomes of it where that cannot be. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '../../src/rehearsal/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

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

/** The package as it is installed, without what it had kept. */
let folder: string;
let kept: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwright-compiled-'));
  const modules = join(folder, 'node_modules');
  const installed = join(modules, 'turnwright');
  mkdirSync(installed, { recursive: true });
  for (const part of ['package.json', 'dist'])
    cpSync(join(root, part), join(installed, part), { recursive: true });
  symlinkSync(join(root, 'node_modules', 'zod'), join(modules, 'zod'));
  writeFileSync(join(folder, 'program.mjs'), PROGRAM);
  kept = join(installed, '.compile-cache');
});

async function runs(
  program = 'program.mjs',
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<void> {
  server.setScenario({ name: 'add', replies: [reply(toolUse('mcp__box__add', { a: 1 })), reply('Two.')] });
  const said = await promisify(execFile)(
    process.execPath,
    [...flags, join(folder, program), folder, server.url],
    {
      env: { PATH: process.env['PATH'] ?? '', ...env },
    },
  );
  expect(said).toEqual({ stdout: 'success Two.\n', stderr: '' });
}

const keptFile = () => {
  const [file, ...more] = readdirSync(kept);
  expect(more).toEqual([]);
  return join(kept, file ?? 'none');
};

/** How many functions of the engine V8 says that it compiled. */
function engineFunctionsIn(log: string): number {
  const lines = log.split('\n').map((line) => line.split(','));
  const engine = lines.find(([kind, , name]) => kind === 'script-details' && name?.endsWith('.script.js'));
  return lines.filter(
    ([kind, event, id]) => kind === 'function' && event === 'interpreter' && id === engine?.[1],
  ).length;
}

describe('compiled code', () => {
  it('is kept by the first processes that had a session, then by one a day, and used by those to come', async () => {
    const writes: number[] = [];
    for (let process = 1; process <= 6; process++) {
      await runs();
      writes.push(readFileSync(keptFile()).readUInt32LE(4));
    }
    expect(writes).toEqual([1, 2, 3, 4, 5, 5]);
    expect(statSync(keptFile()).size).toBeGreaterThan(100_000);
    const yesterday = Date.now() / 1000 - 90_000;
    utimesSync(keptFile(), yesterday, yesterday);
    for (let process = 7; process <= 8; process++) await runs();
    expect(readFileSync(keptFile()).readUInt32LE(4)).toBe(6);
  });

  it('of a function that was kept is not compiled again', async () => {
    const log = join(folder, 'v8.log');
    const flags = ['--log-function-events', '--no-logfile-per-isolate', `--logfile=${log}`];
    const compiled: number[] = [];
    for (let process = 1; process <= 2; process++) {
      await runs('program.mjs', {}, flags);
      compiled.push(engineFunctionsIn(readFileSync(log, 'utf8')));
    }
    expect(compiled[0]).toBeGreaterThan(400);
    expect(compiled[1]).toBeLessThan(40);
  });

  it.each([
    ['damaged', (bytes: Buffer) => bytes.fill(7, 5_000, 6_000)],
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['empty', () => Buffer.alloc(0)],
  ])('is made anew when it is %s', async (_, harm) => {
    await runs();
    const whole = readFileSync(keptFile());
    writeFileSync(keptFile(), harm(Buffer.from(whole)));
    await runs();
    const sumOf = (bytes: Buffer) => [bytes.readUInt32LE(), crc32(bytes.subarray(4))];
    const [told, counted] = sumOf(readFileSync(keptFile()));
    expect(told).toBe(counted);
  });

  it('of other flags is kept beside it', async () => {
    await runs();
    await runs('program.mjs', { NODE_OPTIONS: '--max-old-space-size=512' });
    expect(readdirSync(kept)).toHaveLength(2);
  });

  it('is not kept where nothing can be written, nor when Node is told to keep none', async () => {
    await runs('program.mjs', { NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(existsSync(kept)).toBe(false);
    writeFileSync(kept, 'No folder.');
    await runs();
  });

  it('is none of a bundler: what it takes along needs no file beside it', async () => {
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
