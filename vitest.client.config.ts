import { defineConfig } from 'vitest/config';
import { ProgramsFirst } from './test/file-order.ts';
import { LEFT_TO_A_RELEASE, unlessNamed } from './test/long-form.ts';

/** The published client drives the built command line: `npm ci --prefix test/client --omit=optional` first. */
export default defineConfig({
  test: {
    globalSetup: ['test/temporary-files.ts', 'test/certificates.ts'],
    include: ['test/client/*.test.ts'],
    exclude: unlessNamed(LEFT_TO_A_RELEASE),
    pool: 'threads',
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: ProgramsFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
