import { defineConfig } from 'vitest/config';

/** MCP's own reference servers: `npm ci --prefix test/mcp-servers` first. */
export default defineConfig({
  test: {
    globalSetup: 'test/temporary-files.ts',
    include: ['test/mcp-servers/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
