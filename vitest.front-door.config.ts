import { defineConfig } from 'vitest/config';

/** Readers who follow the pages literally, on the built package; one of them installs it with npm. */
export default defineConfig({
  test: {
    globalSetup: 'test/temporary-files.ts',
    include: ['test/front-door/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
  },
});
