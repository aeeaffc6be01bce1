import { defineConfig } from 'vitest/config';

/** The published client drives the built command line: `npm ci --prefix test/client --omit=optional` first. */
export default defineConfig({
  test: {
    globalSetup: ['test/temporary-files.ts', 'test/certificates.ts'],
    include: ['test/client/*.test.ts'],
    pool: 'threads',
    isolate: false,
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 20_000,
  },
});
