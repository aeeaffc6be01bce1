import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They need packages of their own: vitest.client.config.ts, vitest.programs.config.ts, vitest.mcp-servers.config.ts.
    exclude: [
      '**/node_modules/**',
      'test/client/**',
      'test/acp/**',
      'test/ccusage/**',
      'test/mcp-servers/**',
    ],
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
