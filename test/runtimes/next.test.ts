/** The recipe for Next.js, built by both of its bundlers and served by its own server. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { RehearsalServer } from '@turnwright/testing/rehearsal';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { APP, answers, layOut, run, startModel, variables, WORK } from '../bundlers/app.ts';
import { codeBlocks } from '../code-blocks.ts';
import { bin, HERE } from './bin.ts';

/** Beside the packages: Turbopack takes the folder of their lockfile for the root of the app. */
const SITE = mkdtempSync(join(HERE, 'next-app-'));
let server: RehearsalServer;

beforeAll(async () => {
  layOut();
  cpSync(join(APP, 'node_modules'), join(SITE, 'node_modules'), { recursive: true });
  writeFileSync(join(SITE, 'package.json'), '{ "private": true }');
  const files = codeBlocks('js').filter(({ page }) => page === 'docs/recipes/next-js.md');
  expect(files.map(({ file }) => file)).toEqual(['next.config.mjs', 'app/ask/route.js']);
  for (const { file = '', text } of files) {
    mkdirSync(dirname(join(SITE, file)), { recursive: true });
    writeFileSync(join(SITE, file), text);
  }
  server = await startModel();
});
beforeEach(() => server.setScenario(answers()));
afterAll(async () => {
  await server.close();
  rmSync(SITE, { recursive: true, force: true });
  rmSync(WORK, { recursive: true, force: true });
});

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer().on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

it.each(['--turbopack', '--webpack'])('next build %s, then next start', async (bundler) => {
  const env = { ...variables(server, process.env['PATH']), NEXT_TELEMETRY_DISABLED: '1', CI: '1' };
  rmSync(join(SITE, '.next'), { recursive: true, force: true });
  await run(bin('next'), ['build', bundler], env, SITE);
  const port = await freePort();
  const started = spawn(process.execPath, [bin('next'), 'start', '-p', String(port), '-H', '127.0.0.1'], {
    cwd: SITE,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise((resolve) => started.on('exit', resolve));
  let said = '';
  try {
    await new Promise<void>((resolve, reject) => {
      const hear = (chunk: Buffer) => {
        said += chunk;
        if (/Ready in/.test(said)) resolve();
      };
      started.stdout.on('data', hear);
      started.stderr.on('data', hear);
      started.on('exit', () => reject(new Error(`next start has ended: ${said}`)));
    });
    const response = await fetch(`http://127.0.0.1:${port}/ask`, {
      method: 'POST',
      body: JSON.stringify({ prompt: 'Where is alpha?' }),
    });
    expect({ status: response.status, body: await response.text(), said }).toMatchObject({
      status: 200,
      body: '{"answer":"In notes.txt."}',
    });
    const found = JSON.stringify(server.requests.map(({ body }) => body));
    expect(found).toContain('notes.txt');
    expect(found).not.toMatch(/Searched without ripgrep/);
  } finally {
    started.kill('SIGKILL');
    await exited;
  }
});
