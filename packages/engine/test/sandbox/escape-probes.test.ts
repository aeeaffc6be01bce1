import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { everyNth } from '@turnwright/test/long-form.ts';
import { PROBES, TRIED } from '@turnwright/test/sandbox/escape-probes.ts';
import { lacking } from '@turnwright/test/sandbox/support.ts';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_ESCAPE, probeWorld } from './probe-world.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const USERS: readonly (readonly [string, number | undefined])[] = [
  ...(isRoot ? [['nobody', NOBODY] as const] : []),
  ['the user of this process', undefined],
];

const shared = mkdtempSync(join(tmpdir(), 'turnwright-probes-'));
const runner = join(shared, 'run-probes.mjs');
beforeAll(async () => {
  if (lacking !== undefined) return;
  chmodSync(shared, 0o755);
  await build({
    entryPoints: [fileURLToPath(new URL('run-probes.ts', import.meta.url))],
    outfile: runner,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@anthropic-ai/sandbox-runtime'],
    logLevel: 'silent',
  });
});
afterAll(() => {
  rmSync(shared, { recursive: true, force: true });
});

const runAs = (plan: string, uid: number | undefined): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [runner, plan], {
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', TMPDIR: '/tmp', CANARY_TOKEN: 'CANARY' },
      ...(uid !== undefined && { uid, gid: uid }),
    });
    let out = '';
    let complaint = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (complaint += text));
    child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(complaint))));
  });

describe.skipIf(lacking !== undefined)('escape probes', () => {
  it('there are at least eighty', () => {
    expect(PROBES.length).toBeGreaterThanOrEqual(80);
    expect(new Set(PROBES.map(([, command]) => command)).size).toBe(PROBES.length);
  });

  it.each(everyNth(2, USERS))('none gets out, as %s', { timeout: 180_000 }, async (name, uid) => {
    const world = await probeWorld(shared, uid);
    const { policy, env, ws } = world;
    const plan = join(shared, `plan-${uid ?? 'own'}.json`);
    writeFileSync(plan, JSON.stringify({ policy, env, cwd: ws, probes: TRIED }));
    const said = JSON.parse(await runAs(plan, uid)) as Record<string, string>;
    const escapes = world.escapes(said);
    console.log(
      `${Object.keys(said).length} probes, ${Object.keys(escapes.said).length} escapes (as ${name})`,
    );
    expect(escapes).toEqual(NO_ESCAPE);
    world.close();
  });
});
