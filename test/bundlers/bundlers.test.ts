/** The same small agent, built by every bundler: it searches, with ripgrep or without. */
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RehearsalServer } from '@turnwright/testing/rehearsal';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inForm } from '../long-form.ts';
import { APP, answers, build, layOut, searchedBy, startModel, WITHOUT, WORK } from './app.ts';

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

const outcome = (file: string, path?: string) => searchedBy(process.execPath, [file], server, path);

/** vite bundles with what rollup became. */
const ALSO_IN_SHORT_FORM = [
  ['esbuild', 'agent.cjs'],
  ['webpack', 'agent.mjs'],
] as const;

describe.each(
  inForm<readonly (readonly [string, string])[]>(ALSO_IN_SHORT_FORM, [
    ['esbuild', 'agent.mjs'],
    ...ALSO_IN_SHORT_FORM,
    ['rollup', 'agent.mjs'],
    ['vite', 'agent.mjs'],
  ]),
)('%s: %s', (bundler, file) => {
  const inApp = join(APP, `built-${bundler}`);

  it('runs where the package is, with its ripgrep', async () => {
    await build(bundler, inApp);
    expect(await outcome(join(inApp, file))).not.toMatch(WITHOUT);
  });

  it('runs alone: with rg on PATH, else with a slower search that says so', async () => {
    const alone = join(WORK, `alone-${bundler}`);
    cpSync(inApp, alone, { recursive: true });
    // webpack writes the place of the sources into the bundle.
    const modules = join(APP, 'node_modules');
    renameSync(modules, `${modules}-elsewhere`);
    const folder = join(WORK, 'bin');
    mkdirSync(folder, { recursive: true });
    cpSync(
      join(`${modules}-elsewhere`, `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`),
      join(folder, 'rg'),
    );
    expect(await outcome(join(alone, file), folder)).not.toMatch(WITHOUT);
    server.setScenario(answers());
    expect(await outcome(join(alone, file))).toMatch(WITHOUT);
    renameSync(`${modules}-elsewhere`, modules);
  });
});

describe('a function that is deployed with the files that were traced', () => {
  it('runs, and searches without ripgrep', async () => {
    const out = join(WORK, 'traced');
    const entry = (await build('nft', out)).trim();
    expect(await outcome(join(out, entry))).toMatch(WITHOUT);
  });
});
