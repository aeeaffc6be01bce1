/** In-process MCP servers that speak JSON-RPC: objects of the MCP SDK, and servers behind a function. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { gather, queryUnderTest } from '@turnwright/test/sdk/query-under-test.ts';
import { callTool, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Exchange, JsonRpcMessage, LinkedMcpServer } from '../../src/index.ts';

const allowedTools = ['mcp__k'];
const ask = (name: string, input: Record<string, unknown> = {}) => callTool(`mcp__k__${name}`, input);

/** A server of one tool, `echo`, that writes down what it is asked. */
function linked(more: Partial<LinkedMcpServer> = {}) {
  const asked: JsonRpcMessage[] = [];
  const exchange: Exchange = async (message) => {
    asked.push(message);
    const { id, method, params } = message;
    if (id === undefined) return undefined;
    const answer = (result: unknown): JsonRpcMessage => ({ jsonrpc: '2.0', id, result });
    if (method === 'initialize') {
      return answer({ capabilities: { tools: {} }, serverInfo: { name: 'k', version: '1.2.3' } });
    }
    if (method === 'tools/list') {
      const page = params?.['cursor'] === undefined ? 1 : 2;
      const inputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
      const tools = [{ name: page === 1 ? 'echo' : 'odd.name', inputSchema }];
      return answer({ tools, ...(page === 1 && { nextCursor: 'more' }) });
    }
    return answer({ content: [{ type: 'text', text: JSON.stringify(params?.['arguments']) }] });
  };
  const server: LinkedMcpServer = { type: 'sdk', name: 'k', exchange, ...more };
  return { server, asked, methods: () => asked.map(({ method }) => method) };
}

describe('a server behind a function', () => {
  it('is shaken hands with, listed page by page, and called', async () => {
    const { server, methods, asked } = linked();
    const { query, model } = queryUnderTest([ask('echo', { n: 1 }), say('Done.')], 'Go.', {
      mcpServers: { k: server },
      allowedTools,
    });
    const { messages } = await gather(query);
    expect(messages[0]).toMatchObject({
      tools: expect.arrayContaining(['mcp__k__echo', 'mcp__k__odd_name']),
    });
    expect(methods()).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/list',
      'tools/call',
    ]);
    expect(asked.at(-1)?.params).toMatchObject({
      name: 'echo',
      _meta: { 'claudecode/toolUseId': expect.any(String) },
    });
    expect(JSON.stringify(model.requests[1]?.view)).toContain('{\\"n\\":1}');
  });

  it('with a manifest it is asked for nothing before the first call', async () => {
    const { server, methods } = linked({
      manifest: {
        initializeResult: { capabilities: { tools: {} } },
        toolsListResult: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
      },
    });
    const { query } = queryUnderTest([ask('echo'), say('Done.')], 'Go.', {
      mcpServers: { k: server },
      allowedTools,
    });
    for await (const message of query)
      if (message.type === 'system' && message.subtype === 'init') expect(methods()).toEqual([]);
    expect(methods()).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
  });

  it('input that does not fit the schema never reaches it', async () => {
    const { server, methods } = linked();
    const { query } = queryUnderTest([ask('echo', { n: 'one' }), say('Well.')], 'Go.', {
      mcpServers: { k: server },
      allowedTools,
    });
    const { messages } = await gather(query);
    expect(methods()).not.toContain('tools/call');
    expect(JSON.stringify(messages)).toContain('InputValidationError');
  });

  it('one that fails is shown as failed, and the session runs without it', async () => {
    const exchange: Exchange = async () => {
      throw new Error('No line.');
    };
    const { query } = queryUnderTest([say('Hi.')], 'Go.', {
      mcpServers: { k: { type: 'sdk', name: 'k', exchange } },
    });
    const status = query.mcpServerStatus();
    const { results } = await gather(query);
    expect(await status).toMatchObject([{ name: 'k', status: 'failed', error: 'No line.' }]);
    expect(results).toMatchObject([{ subtype: 'success' }]);
  });
});

describe('a server object of the MCP SDK', () => {
  it('is connected, called and closed', async () => {
    const instance = new McpServer({ name: 'k', version: '1.0.0' });
    let closed = false;
    instance.server.onclose = () => {
      closed = true;
    };
    instance.registerTool(
      'add',
      { description: 'Adds.', inputSchema: { a: z.number(), b: z.number() } },
      ({ a, b }) => ({
        content: [{ type: 'text', text: String(a + b) }],
      }),
    );
    const { query, model } = queryUnderTest([ask('add', { a: 1, b: 2 }), say('Three.')], 'Go.', {
      mcpServers: { k: { type: 'sdk', name: 'k', instance } },
      allowedTools,
    });
    const { results } = await gather(query);
    expect(results).toMatchObject([{ subtype: 'success', result: 'Three.' }]);
    expect(JSON.stringify(model.requests[1]?.view)).toContain('"3"');
    expect(closed).toBe(true);
  });
});

describe('a server object, while the session runs', () => {
  /** One tool that waits until it is let go of. */
  function waiting() {
    const instance = new McpServer({ name: 'k', version: '1.0.0' });
    let tellStarted = () => {};
    const started = new Promise<void>((resolve) => {
      tellStarted = resolve;
    });
    let tellEnded: (reason: unknown) => void = () => {};
    const ended = new Promise((resolve) => {
      tellEnded = resolve;
    });
    instance.registerTool('wait', { description: 'Waits.' }, ({ signal }) => {
      signal.addEventListener('abort', () => tellEnded(signal.reason));
      tellStarted();
      return new Promise<never>(() => {});
    });
    return { config: { type: 'sdk' as const, name: 'k', instance }, started, ended };
  }

  it('hears that a call was interrupted', async () => {
    const { config, started, ended } = waiting();
    const { query } = queryUnderTest([ask('wait')], 'Go.', { mcpServers: { k: config }, allowedTools });
    void started.then(() => query.interrupt());
    const { results } = await gather(query);
    expect(results).toMatchObject([{ terminal_reason: 'aborted_tools' }]);
    expect(await ended).toBeDefined();
  });

  it('is switched off and on, connected anew, replaced and taken away', async () => {
    const { query } = queryUnderTest([say('Hi.')], 'Go.', { mcpServers: { k: waiting().config } });
    const seen: unknown[] = [];
    const look = async () =>
      seen.push((await query.mcpServerStatus()).map(({ name, status }) => [name, status]));
    await query.toggleMcpServer('k', false);
    await look();
    await query.toggleMcpServer('k', true);
    await query.reconnectMcpServer('k');
    await look();
    const set = await query.setMcpServers({ late: { ...waiting().config, name: 'late' } });
    expect(set).toEqual({ added: ['late'], removed: ['k'], errors: {} });
    await look();
    expect(await query.setMcpServers({})).toEqual({ added: [], removed: ['late'], errors: {} });
    await gather(query);
    expect(seen).toEqual([[['k', 'disabled']], [['k', 'connected']], [['late', 'connected']]]);
  });

  it('of type "sdk" without anything to speak to is failed, with the reason', async () => {
    const { query } = queryUnderTest([say('Hi.')], 'Go.', {
      mcpServers: { k: { type: 'sdk', name: 'k' } as never },
    });
    const status = query.mcpServerStatus();
    await gather(query);
    expect(await status).toMatchObject([
      { status: 'failed', error: 'Its configuration of type "sdk" holds neither tools nor an instance.' },
    ]);
  });
});

describe('what a host learns of a session', () => {
  it('is known before the first prompt, and without waiting for servers', async () => {
    const exchange: Exchange = () => new Promise(() => {});
    const { query } = queryUnderTest([], 'Go.', {
      mcpServers: { k: { type: 'sdk', name: 'k', exchange } },
      agents: { reviewer: { description: 'Reviews.', prompt: 'Review.' } },
      model: 'claude-sonnet-5',
    });
    const facts = await query.initializationResult();
    expect(facts.commands.map(({ name }) => name)).toContain('compact');
    expect(facts.models.map(({ value }) => value)).toEqual([
      'default',
      'opus',
      'sonnet',
      'haiku',
      'fable',
      'claude-sonnet-5',
    ]);
    expect(await query.supportedAgents()).toContainEqual({ name: 'reviewer', description: 'Reviews.' });
    expect(await query.accountInfo()).toEqual({ apiKeySource: 'none', apiProvider: 'firstParty' });
  });

  it('a changed mode is emitted while nothing runs, too', async () => {
    const { query } = queryUnderTest([say('Hi.')], 'Go.');
    await query.setPermissionMode('plan');
    const { messages } = await gather(query);
    expect(messages[0]).toMatchObject({ type: 'system', subtype: 'status', permissionMode: 'plan' });
  });
});
