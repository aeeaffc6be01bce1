import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, query, tool } from '../../src/index.ts';

it('CVE-2026-25536 one server of createSdkMcpServer in several sessions at a time: each gets its own answers', async () => {
  let calls = 0;
  let open = () => {};
  const allCame = new Promise<void>((resolve) => {
    open = resolve;
  });
  const secret = tool('secret', 'Says the secret of a tenant', { tenant: z.string() }, async ({ tenant }) => {
    if (++calls === 4) open();
    await allCame;
    return { content: [{ type: 'text', text: `the secret of ${tenant}` }] };
  });
  const shared = createSdkMcpServer({ name: 'shared', tools: [secret] });
  const cwd = mkdtempSync(join(tmpdir(), 'turnwright-shared-'));
  const answers = await Promise.all(
    ['ada', 'bob', 'cyd', 'dee'].map(async (tenant) => {
      const server = await startRehearsal({
        scenario: {
          name: tenant,
          replies: [reply(toolUse('mcp__shared__secret', { tenant })), reply('Done.')],
        },
      });
      const env = {
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'k',
        TURNWRIGHT_HOME: join(cwd, tenant),
      };
      const options = { cwd, env, mcpServers: { shared }, permissionMode: 'bypassPermissions' } as const;
      for await (const _ of query({ prompt: 'Tell me.', options }));
      const told = JSON.stringify(server.requests.at(-1)?.body);
      await server.close();
      return [...new Set(told.match(/the secret of \w+/g))];
    }),
  );
  expect(answers).toEqual(['ada', 'bob', 'cyd', 'dee'].map((tenant) => [`the secret of ${tenant}`]));
});
