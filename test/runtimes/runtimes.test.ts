/** The small agent of the bundlers, run by runtimes beside Node.js. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RehearsalServer } from '@turnwright/testing/rehearsal';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { APP, answers, layOut, run, searchedBy, startModel, WITHOUT, WORK } from '../bundlers/app.ts';
import { bin } from './bin.ts';

let server: RehearsalServer;

beforeAll(async () => {
  layOut();
  server = await startModel();
});
beforeEach(() => server.setScenario(answers()));
afterAll(async () => {
  await server.close();
  rmSync(WORK, { recursive: true, force: true });
});

const searched = (program: string, args: readonly string[]) => searchedBy(program, args, server);

it('bun run', async () => {
  expect(await searched(bin('bun'), ['run', join(APP, 'agent.mjs')])).not.toMatch(WITHOUT);
});

it('bun build', async () => {
  const file = join(WORK, 'bun-build', 'agent.mjs');
  await run(
    bin('bun'),
    ['build', '--target=node', join(APP, 'agent.mjs'), `--outfile=${file}`],
    process.env,
    APP,
  );
  expect(await searched(process.execPath, [file])).toMatch(WITHOUT);
});

it('bun build --compile', async () => {
  const file = join(WORK, 'bun-compile', 'agent');
  await run(
    bin('bun'),
    ['build', '--compile', join(APP, 'agent.mjs'), `--outfile=${file}`],
    process.env,
    APP,
  );
  expect(await searched(file, [])).toMatch(WITHOUT);
});

it('deno run', async () => {
  expect(await searched(bin('deno'), ['run', '-A', '--no-prompt', join(APP, 'agent.mjs')])).not.toMatch(
    WITHOUT,
  );
});
