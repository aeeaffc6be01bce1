/** What clients of 0.3.332 read that earlier ones did not. */

import { type Answer, apiServer, start, stop, streams, text } from '@turnwright/test/model/api-server.ts';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { expect, it } from 'vitest';
import { createSdkMcpServer, type Options, query, type SDKUserMessage, tool } from '../../src/index.ts';

const FIELDS = {
  container: { id: 'container_1', expires_at: '2026-12-01T00:00:00Z' },
  diagnostics: { previous_message_id: 'm' },
  input_transformations: [{ type: 'thinking_dropped' }],
  of_next_year: 1,
};

async function session(answer: Answer, options: Options = {}) {
  const server = await apiServer((response, received, n) =>
    received.url.includes('/messages') ? answer(response, received, n) : void response.writeHead(404).end(),
  );
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const prompt: SDKUserMessage = {
    type: 'user',
    message: { role: 'user', content: 'Go.' },
    parent_tool_use_id: null,
  };
  const running = query({
    prompt: (async function* () {
      yield prompt;
      await ended;
    })(),
    options: {
      env: { HOME: '/nowhere', ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url },
      settingSources: [],
      persistSession: false,
      model: 'claude-sonnet-5',
      ...options,
    },
  });
  return {
    running,
    async done() {
      end();
      const gathered = await gather(running);
      await server.close();
      return gathered;
    },
  };
}

const begun = { ...start(), message: { ...start().message, ...FIELDS } };

it('messages of an answer carry what the API says of it, as it says it', async () => {
  const { done } = await session(streams(begun, ...text(0, 'One.'), ...text(1, 'Two.'), ...stop()));
  const { messages } = await done();
  const said = messages.filter((message) => message.type === 'assistant');
  expect(said).toHaveLength(2);
  for (const { message } of said) expect(message).toMatchObject({ ...FIELDS, content: [{ type: 'text' }] });
});

it('setPermissionMode() resolves with the mode in effect', async () => {
  const { running, done } = await session(streams(start(), ...text(0, 'Hi.'), ...stop()));
  expect(await running.setPermissionMode('acceptEdits')).toEqual({ mode: 'acceptEdits' });
  await expect(running.setPermissionMode('bypassPermissions')).rejects.toThrow();
  await done();
});

it('init says what there is not', async () => {
  const { done } = await session(streams(start(), ...text(0, 'Hi.'), ...stop()));
  const { messages } = await done();
  expect(messages.find((each) => each.type === 'system' && each.subtype === 'init')).toMatchObject({
    sandbox_enabled: false,
    per_turn_effort_active: false,
    ultrathink_available: false,
    ultrathink_typed_raises: false,
  });
});

it('callMcpTool() gives what a server says of a failure, where that is asked for', async () => {
  const link = { type: 'resource_link' as const, uri: 'a://b', name: 'b' };
  const fails = tool('fail', 'Fails.', {}, async () => ({
    isError: true,
    content: [
      { type: 'text' as const, text: 'No.' },
      { ...link, icons: [{ src: 'a://c' }] },
      { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' },
    ],
    structuredContent: { code: 7 },
    _meta: { 'a/b': 1 },
  }));
  const long = tool('long', 'Fails at length.', {}, async () => ({
    isError: true,
    content: [{ type: 'text' as const, text: 'x'.repeat(64_001) }],
  }));
  const near = createSdkMcpServer({ name: 'near', tools: [fails, long] });
  const { running, done } = await session(streams(start(), ...text(0, 'Hi.'), ...stop()), {
    mcpServers: { near },
    allowedTools: ['mcp__near'],
  });
  const call = { tool: 'mcp__near__fail' };
  await expect(running.callMcpTool(call)).rejects.toThrow('No.');
  for (const checkPermissions of [false, true])
    expect(await running.callMcpTool({ ...call, checkPermissions, softErrorResult: true })).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'No.' }, link],
      structuredContent: { code: 7 },
      _meta: { 'a/b': 1 },
    });
  await expect(running.callMcpTool({ tool: 'mcp__near__long', softErrorResult: true })).rejects.toThrow(
    'xxx',
  );
  await expect(running.callMcpTool({ tool: 'mcp__near__none', softErrorResult: true })).rejects.toThrow();
  await done();
});
