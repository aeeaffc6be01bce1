/** Settings in README and docs are ones that a run accepts. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { settingsSchema } from '../packages/engine/src/settings/read/settings-schema.ts';
import { type CodeBlock, codeBlocks, TESTED_ELSEWHERE } from './code-blocks.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const placeOf = ({ page, line }: CodeBlock) => `${page}:${line}`;

describe('README and docs', () => {
  it('say of a page that another test covers it only where there is such a test', () => {
    for (const place of Object.values(TESTED_ELSEWHERE))
      expect(existsSync(join(root, place)), place).toBe(true);
  });

  it.each(codeBlocks('json').map((block) => ({ name: placeOf(block), block })))(
    '$name is JSON that a run accepts',
    ({ block }) => {
      const value: Record<string, unknown> = JSON.parse(block.text);
      if ('mcpServers' in value) return expectServers(value['mcpServers']);
      // Manifests of plugins, and files of prices, have schemas of their own.
      if ('name' in value || 'source' in value) return;
      expect(z.strictObject(settingsSchema.shape).safeParse(value).error?.issues).toBe(undefined);
    },
  );

  it.each(codeBlocks('yaml').map((block) => ({ name: placeOf(block), block })))(
    '$name is YAML',
    ({ block }) => {
      expect(parse(block.text)).toBeTypeOf('object');
    },
  );
});

function expectServers(servers: unknown): void {
  const program = z.strictObject({
    command: z.string(),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
  });
  const address = z.strictObject({
    type: z.enum(['http', 'sse']),
    url: z.url(),
    headers: z.record(z.string(), z.string()).optional(),
    oauth: z
      .strictObject({
        grantType: z.literal('client_credentials'),
        clientId: z.string(),
        clientSecret: z.string(),
      })
      .optional(),
  });
  expect(z.record(z.string(), z.union([program, address])).safeParse(servers).error?.issues).toBe(undefined);
}
