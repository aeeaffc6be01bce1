import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import {
  isAlive,
  linesOf,
  stdio,
  TOOLBOX,
  temporaryFile,
  until,
} from '@turnwright/test/mcp/servers-under-test.ts';
import { callTool, type ScriptStep, say, scriptedModel } from '@turnwright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { QueryEngineConfig } from '../../src/engine/config.ts';
import type { SDKMessage } from '../../src/protocol/stream/sdk-messages.ts';
import { query } from '../../src/sdk/query/query.ts';

function engineWith(
  script: readonly ScriptStep[],
  servers: Readonly<Record<string, unknown>>,
  config: Partial<QueryEngineConfig> = {},
) {
  const under = engineUnderTest(script, {
    cwd: tmpdir(),
    clock: systemClock,
    env: { PATH: process.env['PATH'] },
    mcpServers: Object.entries(servers).map(([name, each]) => ({ name, scope: 'option', config: each })),
    ...config,
  });
  onTestFinished(() => under.engine.close());
  return under;
}

const initOf = (messages: readonly SDKMessage[]) =>
  messages.find((message) => message.type === 'system' && message.subtype === 'init');

describe('an engine with MCP servers', () => {
  it('shows them, calls their tools, and sends the same tools every time', async () => {
    const log = await temporaryFile('log');
    const { run, model, engine } = engineWith([callTool('mcp__box__echo', { text: 'hello' }), say('done')], {
      box: stdio(TOOLBOX, [], { LOG: log }),
      gone: { command: 'no-such-program' },
    });
    const messages = await run('Go.');
    expect(initOf(messages)).toMatchObject({
      mcp_servers: [
        { name: 'box', status: 'connected' },
        { name: 'gone', status: 'failed' },
      ],
      slash_commands: expect.arrayContaining(['mcp__box__greet']),
      tools: expect.arrayContaining(['mcp__box__echo', 'ListMcpResourcesTool']),
    });
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'done' });
    const [first, second] = model.requests;
    expect(second?.tools).toBe(first?.tools);
    expect(JSON.stringify(second?.view.slice())).toContain('hello');
    const pid = Number((await linesOf(log))[0]?.split(' ')[1]);
    expect(isAlive(pid)).toBe(true);
    await engine.close();
    await until(() => !isAlive(pid));
  });

  it('takes away the tools of a server that is switched off, and sets others while it runs', async () => {
    const { run, model, engine } = engineWith([say('1'), say('2'), say('3')], { box: stdio(TOOLBOX) });
    await run('Go.');
    await engine.mcp.setEnabled('box', false);
    expect(engine.mcp.status()).toMatchObject([{ name: 'box', status: 'disabled' }]);
    await run('Go.');
    const set = await engine.mcp.setServers({ other: stdio(TOOLBOX), box: stdio(TOOLBOX) });
    expect(set).toEqual({ added: ['other'], removed: [], errors: {} });
    await run('Go.');
    const [before, off, after] = model.requests.map(({ tools }) => tools.map((tool) => tool.name));
    expect(before).toContain('mcp__box__echo');
    expect(off).toEqual([]);
    expect(after).toContain('mcp__other__echo');
  });

  it('makes a prompt of a command that a server offers', async () => {
    const { run, model } = engineWith([say('Hello!')], { box: stdio(TOOLBOX) });
    await run('/mcp__box__greet Ada');
    expect(JSON.stringify(model.requests[0]?.view.slice())).toContain('Greet Ada');
  });
});

describe('query()', () => {
  const run = async (cwd: string, more: object) => {
    const model = scriptedModel([say('x')]);
    const messages: SDKMessage[] = [];
    const options = {
      cwd,
      env: { PATH: process.env['PATH'], BOX: TOOLBOX },
      tools: [],
      engine: { callModel: model.callModel, home: undefined },
      persistSession: false,
      ...more,
    };
    for await (const message of query({ prompt: 'Hi.', options })) messages.push(message);
    return initOf(messages);
  };

  it('T101 T108 starts the servers of a project only where it is asked for and trusted', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'turnwright-mcp-'));
    const server = { command: process.execPath, args: [`\${BOX}`] };
    await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { box: server } }));
    const on = { settingSources: ['project'] };
    expect(await run(cwd, on)).toMatchObject({ mcp_servers: [{ name: 'box', status: 'connected' }] });
    for (const off of [{}, { ...on, projectTrusted: false }, { ...on, strictMcpConfig: true }])
      expect(await run(cwd, off)).toMatchObject({ mcp_servers: [] });
    const own = { ...on, mcpServers: { box: { command: 'no-such-program' } } };
    expect(await run(cwd, own)).toMatchObject({ mcp_servers: [{ name: 'box', status: 'failed' }] });
  });

  it.each([
    [{}, ['a', 'b']],
    [{ disabledMcpjsonServers: ['a'] }, ['b']],
    [{ enabledMcpjsonServers: ['a'] }, ['a']],
    [{ enabledMcpjsonServers: ['a'], enableAllProjectMcpServers: true }, ['a', 'b']],
    [{ enableAllProjectMcpServers: false }, []],
    [{ deniedMcpServers: [{ serverName: 'b' }] }, ['a']],
  ])('takes of a project the servers that the settings name: %j', async (settings, names) => {
    const cwd = await mkdtemp(join(tmpdir(), 'turnwright-mcp-'));
    const server = { command: 'no-such-program' };
    await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { a: server, b: server } }));
    const init = await run(cwd, { settingSources: ['project'], settings });
    expect(init).toMatchObject({ mcp_servers: names.map((name) => ({ name })) });
  });
});
