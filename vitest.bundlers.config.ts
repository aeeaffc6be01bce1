import { defineConfig } from 'vitest/config';

/** Bundlers, runtimes and frameworks, with packages of their own: `npm ci --prefix test/bundlers` first. */
export default defineConfig({
  test: {
    globalSetup: ['test/temporary-files.ts', 'test/certificates.ts'],
    include: ['test/bundlers/*.test.ts'],
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
