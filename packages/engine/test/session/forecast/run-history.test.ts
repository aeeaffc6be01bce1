import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { expect, it, onTestFinished } from 'vitest';
import { addRun, readRuns } from '../../../src/session/forecast/run-history.ts';

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-runs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const run = (at: number) => ({ at, model: 'm', agent: 'main', tokens: 10, usd: at / 1000 });

it('runs come back in the order in which they ended; damaged lines are passed over', async () => {
  const folder = emptyFolder();
  expect(await readRuns(nodeFiles, folder)).toEqual([]);
  await addRun(nodeFiles, folder, run(1));
  appendFileSync(
    join(folder, 'runs.log'),
    '{"v":1,"at":2,"mod\n{"v":1,"at":-4,"model":"m","agent":"main"}\n',
  );
  await addRun(nodeFiles, folder, run(3));
  expect(await readRuns(nodeFiles, folder)).toEqual([run(1), run(3)]);
  expect(statSync(join(folder, 'runs.log')).mode & 0o777).toBe(0o600);
});

it('the file stays small: the newest runs are kept', async () => {
  const folder = emptyFolder();
  const line = `${JSON.stringify({ v: 1, ...run(1), model: 'm'.repeat(1_000) })}\n`;
  appendFileSync(join(folder, 'runs.log'), line.repeat(260));
  await addRun(nodeFiles, folder, run(2));
  expect(readFileSync(join(folder, 'runs.log')).length).toBeLessThan(256 * 1024);
  const kept = await readRuns(nodeFiles, folder);
  expect(kept).toHaveLength(130);
  expect(kept.at(-1)).toEqual(run(2));
});
