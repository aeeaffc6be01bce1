import { defineConfig } from 'vitest/config';
import { ProgramsFirst } from './test/file-order.ts';
import { LEFT_TO_A_RELEASE, unlessNamed } from './test/long-form.ts';

/** Sessions on a real Postgres, which the set-up starts: needs the programs of Debian's package `postgresql`. */
export default defineConfig({
  test: {
    globalSetup: ['test/temporary-files.ts', 'test/certificates.ts', 'test/durable/cluster-set-up.ts'],
    include: ['test/durable/**/*.test.ts'],
    exclude: unlessNamed(LEFT_TO_A_RELEASE),
    pool: 'forks',
    // As in vitest.config.ts: modules are loaded once for each worker, and many files only wait.
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: ProgramsFirst },
    // Ends what hangs: beside four busy loops, a worker alone takes half a minute to start.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
