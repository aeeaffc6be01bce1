import { defineConfig } from 'vitest/config';
import { isLong } from './test/long-form.ts';

/**
 * Bundlers, runtimes and frameworks, with packages of their own: `npm ci --prefix test/bundlers` first, and of
 * `test/runtimes` too for the long form.
 */
export default defineConfig({
  test: {
    globalSetup: ['test/temporary-files.ts', 'test/certificates.ts'],
    include: ['test/bundlers/*.test.ts', ...(isLong ? ['test/runtimes/*.test.ts'] : [])],
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
