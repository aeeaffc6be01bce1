/** Who answers permission questions: an MCP tool, nobody, or a policy that was handed in. */
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, type Options, query, tool } from '../../src/index.ts';

let server: RehearsalServer;
let cwd: string;
beforeEach(async () => {
  server = await startRehearsal();
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-prompts-')));
});
afterEach(async () => {
  await server.close();
  await rm(cwd, { recursive: true, force: true });
});

const run = async (options: Options, ...calls: ReturnType<typeof toolUse>[]) => {
  server.setScenario({ name: 'test', replies: [...calls.map((call) => reply(call)), reply('Done.')] });
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', PATH: process.env['PATH'] };
  const ended = await gather(
    query({ prompt: 'Go.', options: { cwd, env, persistSession: false, ...options } }),
  );
  const told = JSON.stringify(server.requests.map(({ body }) => body).at(-1));
  return { ...ended, told };
};
const touch = (name: string) => toolUse('Bash', { command: `touch ${name}` });

const approver = (answer: (question: { tool_name: string; input: Record<string, unknown> }) => string) =>
  createSdkMcpServer({
    name: 'desk',
    tools: [
      tool(
        'approve',
        'Answers permission questions.',
        { tool_name: z.string(), input: z.record(z.string(), z.unknown()), tool_use_id: z.string() },
        async (question) => ({ content: [{ type: 'text', text: answer(question) }] }),
      ),
    ],
  });

describe('permissionPromptToolName', () => {
  const desk = (answer: Parameters<typeof approver>[0]): Options => ({
    mcpServers: { desk: approver(answer) },
    permissionPromptToolName: 'mcp__desk__approve',
  });

  it('the tool is asked, and its input runs', async () => {
    const asked: unknown[] = [];
    await run(
      desk((question) => {
        asked.push(question);
        return JSON.stringify({ behavior: 'allow', updatedInput: { command: 'touch b' } });
      }),
      touch('a'),
    );
    expect(asked).toEqual([
      { tool_name: 'Bash', input: { command: 'touch a' }, tool_use_id: expect.stringMatching(/^toolu_/) },
    ]);
    expect([existsSync(join(cwd, 'a')), existsSync(join(cwd, 'b'))]).toEqual([false, true]);
  });

  it('its denial is what the model reads', async () => {
    const { told, results, messages } = await run(
      desk(() => JSON.stringify({ behavior: 'deny', message: 'Not from here.' })),
      touch('a'),
    );
    expect(told).toContain('Not from here.');
    expect(results).toMatchObject([{ permission_denials: [{ tool_name: 'Bash' }] }]);
    expect(messages).not.toContainEqual(expect.objectContaining({ subtype: 'permission_denied' }));
  });

  it('it is not offered to the model, unlike tools whose questions it can answer', async () => {
    const { messages } = await run(
      desk(() => JSON.stringify({ behavior: 'allow' })),
      touch('a'),
    );
    const offered = JSON.stringify(server.requests[0]?.body);
    const listed = JSON.stringify(messages.find((message) => message.type === 'system'));
    for (const told of [offered, listed]) {
      expect(told).not.toContain('mcp__desk__approve');
      expect(told).toContain('AskUserQuestion');
      expect(told).toContain('ExitPlanMode');
    }
  });

  it('F90 an answer that is none denies with the reason', async () => {
    const { told } = await run(
      desk(() => 'Sure, go on!'),
      touch('a'),
    );
    expect(told).toContain('must answer with JSON');
    expect(existsSync(join(cwd, 'a'))).toBe(false);
  });

  it('F90 a tool that does not exist denies with the reason', async () => {
    const { told } = await run({ permissionPromptToolName: 'mcp__desk__none' }, touch('a'));
    expect(told).toContain('there is no tool mcp__desk__none');
  });
});

describe('permissionPrompts', () => {
  it('none: the host is never asked', async () => {
    let asked = 0;
    const { told, messages } = await run(
      {
        permissionPrompts: 'none',
        canUseTool: async () => {
          asked += 1;
          return { behavior: 'allow' };
        },
      },
      touch('a'),
    );
    expect(asked).toBe(0);
    expect(told).toContain('permission prompts are switched off');
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'permission_denied' }));
  });
});

it('F90 a callback that never answers denies with the reason, within its own limit', async () => {
  const { told } = await run(
    { permissionTimeoutMs: 20, canUseTool: () => new Promise(() => undefined) },
    touch('a'),
  );
  expect(told).toContain('The permission question for Bash was not answered within 0.02 s');
});

describe('managedSettings', () => {
  it('a denial names rule and kind, whatever the mode', async () => {
    const { messages, told } = await run(
      {
        managedSettings: { permissions: { deny: ['Bash(touch:*)'] } },
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
      },
      touch('a'),
    );
    expect(messages).toContainEqual(
      expect.objectContaining({ subtype: 'permission_denied', decision_reason_type: 'rule' }),
    );
    expect(told).toContain('is denied by the rule Bash(touch:*) in the managed settings');
  });

  it('the callback receives the ask rule', async () => {
    const seen: unknown[] = [];
    await run(
      {
        managedSettings: { permissions: { ask: ['Bash(touch:*)'] } },
        allowedTools: ['Bash'],
        canUseTool: async (_name, _input, context) => {
          seen.push([context.decisionReasonType, context.matchedAskRule]);
          return { behavior: 'allow' };
        },
      },
      touch('a'),
    );
    const rule = { toolName: 'Bash', ruleContent: 'touch:*' };
    expect(seen).toEqual([['rule', { source: 'policySettings', ...rule }]]);
  });

  it('a search does not show what a Read rule denies', async () => {
    await writeFile(join(cwd, '.env'), 'TOKEN=larch');
    await writeFile(join(cwd, 'a.txt'), 'larch');
    const { told } = await run(
      { disallowedTools: ['Read(.env)'] },
      toolUse('Grep', { pattern: 'larch', output_mode: 'content' }),
    );
    expect(told).toContain('a.txt:1:larch');
    expect(told).not.toContain('TOKEN');
  });

  it('a server that the policy denies is not used', async () => {
    const lines: string[] = [];
    const { messages } = await run({
      mcpServers: { desk: approver(() => '') },
      managedSettings: { deniedMcpServers: [{ serverName: 'desk' }] },
      stderr: (line) => lines.push(line),
    });
    expect(messages[0]).toMatchObject({ subtype: 'init', mcp_servers: [] });
    expect(lines.join()).toContain('desk is not used');
  });
});
