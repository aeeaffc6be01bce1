import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ProcessGroup, spawnGroup } from '@turnwright/base/process/process-tree.ts';
import { isRunning, tempFolder } from '@turnwright/test/tools/support.ts';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';

const env = { PATH: process.env['PATH'] ?? '' };

async function firstLine(group: ProcessGroup): Promise<string> {
  let text = '';
  for await (const chunk of group.stdout ?? []) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.trim();
}

/** Keeps the event loop from turning. */
function blockUntil(isSo: () => boolean): void {
  while (!isSo());
}

/** It is a zombie until Node has collected its end. */
const hasEnded = ({ pid }: ProcessGroup): boolean => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

describe('spawnGroup', () => {
  test('says how the process ended', async () => {
    expect(await spawnGroup('sh', ['-c', 'exit 3'], { cwd: '/', env }).ended).toEqual({
      kind: 'exited',
      code: 3,
      signal: null,
    });
    expect(await spawnGroup('sh', ['-c', 'kill -9 $$'], { cwd: '/', env }).ended).toEqual({
      kind: 'exited',
      code: null,
      signal: 'SIGKILL',
    });
  });

  test('what cannot be started is a value', async () => {
    const missing = spawnGroup('no-such-program', [], { cwd: '/', env });
    expect(await missing.ended).toMatchObject({ kind: 'not_started', error: { code: 'ENOENT' } });
    expect(await missing.end(10)).toBe(false);
    const wrong = spawnGroup('sh', ['-c', 'nul\0'], { cwd: '/', env });
    expect(await wrong.ended).toMatchObject({ kind: 'not_started' });
  });

  test('end takes the whole group, grandchildren too', async () => {
    const group = spawnGroup('sh', ['-c', 'sh -c "sleep 300 & echo \\$!; wait" & wait'], { cwd: '/', env });
    const grandchild = Number(await firstLine(group));
    expect(isRunning(grandchild)).toBe(true);
    expect(await group.end(1000)).toBe(true);
    expect(isRunning(grandchild)).toBe(false);
    expect(await group.ended).toMatchObject({ kind: 'exited', signal: 'SIGTERM' });
  });

  test('what ignores SIGTERM gets SIGKILL after the grace', async () => {
    const group = spawnGroup('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'], {
      cwd: '/',
      env,
    });
    await firstLine(group);
    expect(await group.end(20)).toBe(true);
    expect(await group.ended).toMatchObject({ signal: 'SIGKILL' });
  });

  test('a group that is gone has nothing to end', async () => {
    const group = spawnGroup('true', [], { cwd: '/', env });
    await group.ended;
    expect(group.alive()).toBe(false);
    expect(await group.end(10)).toBe(false);
  });

  test.skipIf(process.platform !== 'linux')(
    'the last output of a process is read before its end is reported',
    async () => {
      const folder = await tempFolder();
      const sh = (script: string) => spawnGroup('sh', ['-c', script], { cwd: folder.path, env });
      const loud = sh('until [ -e go ]; do sleep 0.01; done; echo written');
      let read = '';
      loud.stdout?.on('data', (chunk) => {
        read += String(chunk);
      });
      // At the end of a turn libuv collects the ends of all processes, also of those that ended during it.
      const early = sh('echo early');
      early.stdout?.once('data', () => {
        writeFileSync(join(folder.path, 'go'), '');
        blockUntil(() => hasEnded(loud));
      });
      blockUntil(() => hasEnded(early));
      await loud.ended;
      expect(read).toBe('written\n');
      await folder.remove();
    },
  );

  test('F100 groups die with this process, and one handler sees to it', async () => {
    const folder = await tempFolder();
    try {
      const module = fileURLToPath(new URL('../../../base/src/process/process-tree.ts', import.meta.url));
      await build({
        stdin: {
          contents: `
            import { spawnGroup } from ${JSON.stringify(module)};
            const env = { PATH: process.env.PATH };
            const before = process.listenerCount('exit');
            const groups = [1, 2].map(() => spawnGroup('sh', ['-c', 'sleep 300 & echo $!; wait'], { cwd: '/', env }));
            const pids = await Promise.all(groups.map((g) => new Promise((resolve) => g.stdout.once('data', (d) => resolve(Number(String(d)))))));
            console.log(JSON.stringify({ pids, handlers: process.listenerCount('exit') - before }));
            process.exit(0);`,
          resolveDir: folder.path,
        },
        bundle: true,
        format: 'esm',
        platform: 'node',
        outfile: join(folder.path, 'parent.mjs'),
      });
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder.path, 'parent.mjs')]);
      const { pids, handlers } = JSON.parse(stdout) as { pids: number[]; handlers: number };
      expect(handlers).toBe(1);
      for (const pid of pids) {
        while (isRunning(pid)) await new Promise((resolve) => setImmediate(resolve));
        expect(isRunning(pid)).toBe(false);
      }
    } finally {
      await folder.remove();
    }
  });
});
