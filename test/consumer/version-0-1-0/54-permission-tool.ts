// Permission questions answered by a tool of an MCP server, say one that asks on a phone.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSdkMcpServer, query, tool } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';
import { z } from 'zod';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const questions: string[] = [];
const phone = createSdkMcpServer({
  name: 'phone',
  tools: [
    tool(
      'approve',
      'Asks whether a call may run.',
      { tool_name: z.string(), input: z.record(z.string(), z.unknown()), tool_use_id: z.string().optional() },
      async ({ tool_name, input }) => {
        questions.push(tool_name);
        const answer = String(input['command']).startsWith('mkdir')
          ? { behavior: 'allow', updatedInput: input }
          : { behavior: 'deny', message: 'Only folders, please.' };
        return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
      },
    ),
  ],
});

const server = await startRehearsal({
  scenario: {
    name: 'a folder and a file',
    replies: [
      reply([toolUse('Bash', { command: 'mkdir folder' }), toolUse('Bash', { command: 'touch file' })]),
      reply('The folder is there.'),
    ],
  },
});
for await (const message of query({
  prompt: 'Make a folder and a file.',
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    mcpServers: { phone },
    permissionPromptToolName: 'mcp__phone__approve',
    persistSession: false,
  },
})) {
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
}
await server.close();

assert.deepEqual(questions, ['Bash', 'Bash']);
assert.deepEqual([existsSync(join(cwd, 'folder')), existsSync(join(cwd, 'file'))], [true, false]);
await rm(cwd, { recursive: true });
