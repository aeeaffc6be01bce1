// Turnwright through its public door, as an embedder would: persistence at its default, partial messages on.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSdkMcpServer, query, tool } from 'turnwright';
import { z } from 'zod';

const SHAPES = { noop: { n: z.number() }, slow: { i: z.number() } };

export async function run({ baseUrl, tools }) {
  const home = mkdtempSync(join(tmpdir(), 'turnwright-bench-'));
  try {
    const server = createSdkMcpServer({
      name: 'bench',
      tools: Object.entries(tools).map(([name, handler]) =>
        tool(
          name,
          'A tool of the benchmark.',
          SHAPES[name],
          async (input) => ({ content: [{ type: 'text', text: await handler(input) }] }),
          {
            annotations: { readOnlyHint: true },
          },
        ),
      ),
    });
    let deltas = 0;
    let text;
    for await (const message of query({
      prompt: 'Go.',
      options: {
        cwd: home,
        env: { ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: 'bench', TURNWRIGHT_HOME: home },
        model: 'claude-sonnet-5',
        mcpServers: { bench: server },
        tools: [],
        allowedTools: Object.keys(tools).map((name) => `mcp__bench__${name}`),
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        includePartialMessages: true,
      },
    })) {
      if (message.type === 'stream_event' && message.event.type === 'content_block_delta') deltas++;
      if (message.type === 'result') text = message.result;
    }
    return { text, deltas };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
