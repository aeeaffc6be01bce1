/**
 * All lists of tests. `npx vitest run packages/engine/test/loop` finds the list of a file by itself; `npm test` runs
 * `--project tests`, and `npm test -w packages/terminal` those of one package.
 * The others need something more: packages of their own (`npm ci --prefix test/client`), a Postgres, a browser.
 */
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { ProgramsFirst } from './test/file-order.ts';
import { LEFT_TO_A_RELEASE, LEFT_TO_THE_GATE, unlessNamed } from './test/long-form.ts';
import { keepingSessions } from './test/support/vitest-plugin.ts';

type List = NonNullable<TestProjectInlineConfiguration['test']> & { readonly folders: readonly string[] };

/** Those whose tests are not in `npm test`, with the folders that are theirs. */
const APART: Readonly<Record<string, List>> = {
  /** The published client drives the built command line. */
  client: { folders: ['test/client'], pool: 'threads', isolate: false, maxWorkers: 3 },
  /** Published programs around ours: an ACP adapter, readers of transcripts, MCP's reference servers. */
  programs: {
    folders: [
      'test/acp',
      'test/ai-sdk-v4',
      'test/azure-login',
      'test/ccusage',
      'test/mcp-conformance',
      'test/mcp-servers',
    ],
    maxWorkers: 2,
    testTimeout: 180_000,
  },
  /** Sessions on a real Postgres, which the set-up starts: needs the programs of Debian's package `postgresql`. */
  durable: {
    folders: ['packages/durable/test', 'test/durable'],
    globalSetup: ['packages/durable/test/cluster-set-up.ts'],
    pool: 'forks',
    // As below; and many files only wait.
    isolate: false,
    maxWorkers: 3,
    // Ends what hangs: beside four busy loops, a worker alone takes half a minute to start.
    testTimeout: 300_000,
  },
  /** Readers who follow the pages literally, on the built package; one of them installs it with npm. */
  'front-door': { folders: ['test/front-door'], maxWorkers: 2, testTimeout: 180_000 },
  /** Bundlers, runtimes and frameworks build and run an agent. */
  bundlers: {
    folders: ['test/bundlers', 'test/runtimes'],
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 300_000,
  },
};

const list = (name: string, order: number, test: TestProjectInlineConfiguration['test'] = {}) => ({
  plugins: keepingSessions.plugins,
  test: {
    name,
    setupFiles: keepingSessions.setupFiles,
    testTimeout: 120_000,
    hookTimeout: test.testTimeout ?? 120_000,
    ...test,
    globalSetup: ['test/temporary-files.ts', 'test/certificates.ts', ...[test.globalSetup ?? []].flat()],
    // One list after the other, where several are run.
    sequence: { groupOrder: order },
  },
});

export default defineConfig({
  test: {
    sequence: { sequencer: ProgramsFirst },
    teardownTimeout: 5000,
    projects: [
      list('tests', 0, {
        include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
        exclude: [
          '**/node_modules/**',
          ...Object.values(APART).flatMap(({ folders }) => folders.map((folder) => `${folder}/**`)),
          ...unlessNamed(LEFT_TO_THE_GATE, LEFT_TO_A_RELEASE),
        ],
        pool: 'forks',
        // Modules are loaded once for each worker, not once for each file: half of the run would go there. A test that
        // changes something global (the environment, the clock) puts it back.
        isolate: false,
        // One more than the processors that the run is made for: some files only wait for programs.
        maxWorkers: 3,
      }),
      ...Object.entries(APART).map(([name, { folders, ...test }], at) =>
        list(name, at + 1, {
          ...test,
          include: folders.map((folder) => `${folder}/**/*.test.ts`),
          exclude: ['**/node_modules/**', ...unlessNamed(LEFT_TO_A_RELEASE)],
        }),
      ),
      /** One row of the scorecard, started by `npm run torture`: see test/torture/README.md. */
      list('row', 9, {
        include: ['test/torture/start-row.ts'],
        // A bundle is loaded by Node itself.
        server: { deps: { external: [/\/bundled-[^/]+\/program\.mjs$/] } },
        pool: 'forks',
        maxWorkers: 1,
        // Rows make and drop millions of small objects: a larger young generation takes an eighth of the time off R8.
        execArgv: ['--expose-gc', '--max-semi-space-size=64'],
      }),
    ],
  },
});
