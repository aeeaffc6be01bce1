/** The same small agent, built by every bundler and run by every runtime: it searches, with ripgrep or without. */
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RehearsalServer } from '../../src/rehearsal/index.ts';
import { inForm } from '../long-form.ts';
import { APP, answers, bin, build, layOut, type Outcome, run, startModel, variables, WORK } from './app.ts';

const WITHOUT = /Searched without ripgrep, which is slower/;
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

/** Runs a program, and returns what it searched. */
async function outcome(program: string, args: readonly string[], path?: string): Promise<string> {
  const { stdout, stderr } = await run(program, args, variables(server, path), dirname(args.at(-1) ?? WORK));
  expect(stderr).toBe('');
  const { result, searched } = JSON.parse(stdout) as Outcome;
  expect(result).toBe('In notes.txt.');
  expect(searched.join()).toContain('notes.txt');
  return searched.join();
}

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
    expect(await outcome(process.execPath, [join(inApp, file)])).not.toMatch(WITHOUT);
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
    expect(await outcome(process.execPath, [join(alone, file)], folder)).not.toMatch(WITHOUT);
    server.setScenario(answers());
    expect(await outcome(process.execPath, [join(alone, file)])).toMatch(WITHOUT);
    renameSync(`${modules}-elsewhere`, modules);
  });
});

describe('runtimes', () => {
  it('bun run', async () => {
    expect(await outcome(bin('bun'), ['run', join(APP, 'agent.mjs')])).not.toMatch(WITHOUT);
  });

  it('bun build', async () => {
    const file = join(WORK, 'bun-build', 'agent.mjs');
    await run(
      bin('bun'),
      ['build', '--target=node', join(APP, 'agent.mjs'), `--outfile=${file}`],
      process.env,
      APP,
    );
    expect(await outcome(process.execPath, [file])).toMatch(WITHOUT);
  });

  it('bun build --compile', async () => {
    const file = join(WORK, 'bun-compile', 'agent');
    await run(
      bin('bun'),
      ['build', '--compile', join(APP, 'agent.mjs'), `--outfile=${file}`],
      process.env,
      APP,
    );
    expect(await outcome(file, [])).toMatch(WITHOUT);
  });

  it('deno run', async () => {
    expect(await outcome(bin('deno'), ['run', '-A', '--no-prompt', join(APP, 'agent.mjs')])).not.toMatch(
      WITHOUT,
    );
  });
});

describe('a function that is deployed with the files that were traced', () => {
  it('runs, and searches without ripgrep', async () => {
    const out = join(WORK, 'traced');
    const entry = (await build('nft', out)).trim();
    expect(await outcome(process.execPath, [join(out, entry)])).toMatch(WITHOUT);
  });
});
