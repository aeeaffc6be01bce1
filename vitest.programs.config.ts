import { defineConfig } from 'vitest/config';
import { LEFT_TO_A_RELEASE, unlessNamed } from './test/long-form.ts';

/**
 * Published programs around ours: an ACP adapter that drives the built command line, a reader of transcripts, MCP's
 * reference servers. Each has packages of its own: `npm ci --prefix test/acp --omit=optional`, `npm ci --prefix test/ccusage` …
 */
export default defineConfig({
  test: {
    globalSetup: ['test/temporary-files.ts', 'test/certificates.ts'],
    include: [
      'test/acp/*.test.ts',
      'test/ccusage/*.test.ts',
      'test/azure-login/*.test.ts',
      'test/ai-sdk-v4/*.test.ts',
      'test/mcp-servers/*.test.ts',
      'test/mcp-conformance/*.test.ts',
    ],
    exclude: ['**/node_modules/**', ...unlessNamed(LEFT_TO_A_RELEASE)],
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
