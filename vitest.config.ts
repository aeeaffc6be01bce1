import { defineConfig } from 'vitest/config';
import { ProgramsFirst } from './test/file-order.ts';
import { LEFT_TO_A_RELEASE, LEFT_TO_THE_GATE, unlessNamed } from './test/long-form.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/temporary-files.ts', 'test/certificates.ts'],
    include: ['test/**/*.test.ts'],
    // They need packages of their own: vitest.client.config.ts, vitest.programs.config.ts,
    // vitest.durable.config.ts (a Postgres), vitest.front-door.config.ts (a browser).
    exclude: [
      '**/node_modules/**',
      'test/client/**',
      'test/acp/**',
      'test/ai-sdk-v4/**',
      'test/azure-login/**',
      'test/{bundlers,runtimes}/**',
      'test/durable/**',
      'test/front-door/**',
      'test/ccusage/**',
      'test/mcp-servers/**',
      'test/mcp-conformance/**',
      ...unlessNamed(LEFT_TO_THE_GATE, LEFT_TO_A_RELEASE),
    ],
    pool: 'forks',
    // Modules are loaded once for each worker, not once for each file: half of the run would go there. A test that changes
    // something global (the environment, the clock) puts it back.
    isolate: false,
    // One more than the processors that the run is made for: some files only wait for programs.
    maxWorkers: 3,
    sequence: { sequencer: ProgramsFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
