import { defineConfig } from 'vitest/config';

/** One row of the scorecard, started by `npm run torture`. See test/torture/README.md. */
export default defineConfig({
  test: {
    globalSetup: ['test/temporary-files.ts', 'test/certificates.ts'],
    include: ['test/torture/start-row.ts'],
    // A bundle is loaded by Node itself.
    server: { deps: { external: [/\/bundled-[^/]+\/program\.mjs$/] } },
    pool: 'forks',
    maxWorkers: 1,
    // Rows make and drop millions of small objects: a larger young generation takes an eighth of the time off R8.
    execArgv: ['--expose-gc', '--max-semi-space-size=64'],
    teardownTimeout: 5000,
  },
});
