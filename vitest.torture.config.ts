import { defineConfig } from 'vitest/config';

/** One row of the scorecard, started by `npm run torture`. See test/torture/README.md. */
export default defineConfig({
  test: {
    globalSetup: 'test/temporary-files.ts',
    include: ['test/torture/start-row.ts'],
    // A bundle is loaded by Node itself.
    server: { deps: { external: [/\/bundled-[^/]+\/program\.mjs$/] } },
    pool: 'forks',
    maxWorkers: 1,
    execArgv: ['--expose-gc'],
    teardownTimeout: 5000,
  },
});
