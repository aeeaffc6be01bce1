/** The first request waits for servers that are not ready, as long as they may take to start (F82). */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import { httpServer } from '@turnwright/test/mcp/http-server.ts';
import { until } from '@turnwright/test/mcp/servers-under-test.ts';
import { say, scriptedModel } from '@turnwright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { QueryEngineConfig } from '../../src/engine/config.ts';
import type { SDKMessage } from '../../src/protocol/stream/sdk-messages.ts';
import { query } from '../../src/sdk/query/query.ts';

/** A server that answers nobody until it is opened. */
async function closedServer() {
  const server = await httpServer();
  let open = () => {};
  const gate = new Promise<boolean>((resolve) => {
    open = () => resolve(false);
  });
  server.intercept = () => gate;
  return { config: { type: 'http', url: `${server.url}/mcp` }, open };
}

function engineWith(servers: Readonly<Record<string, object>>, config: Partial<QueryEngineConfig> = {}) {
  const under = engineUnderTest([say('one'), say('two')], {
    cwd: tmpdir(),
    clock: systemClock,
    mcpServers: Object.entries(servers).map(([name, each]) => ({ name, scope: 'option', config: each })),
    ...config,
  });
  onTestFinished(() => under.engine.close());
  return under;
}

const statusesIn = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'init'
      ? message.mcp_servers.map(({ name, status, error = '' }) => [name, status, error])
      : [],
  );
const toolCounts = ({ model }: Pick<ReturnType<typeof engineWith>, 'model'>) =>
  model.requests.map(({ tools }) => tools.length);

describe('the first request', () => {
  it('waits for every server, and has the tools of all', async () => {
    const [slow, slower] = [await closedServer(), await closedServer()];
    const told: string[] = [];
    const under = engineWith(
      { slow: slow.config, slower: slower.config, gone: { command: 'no-such-program' } },
      {
        onMcpWait({ servers }) {
          told.push(servers.join());
          if (told.at(-1) === 'slow,slower') slow.open();
          if (told.at(-1) === 'slower') slower.open();
        },
      },
    );
    const messages = await under.run('Go.');
    expect(statusesIn(messages)).toEqual([
      ['slow', 'connected', ''],
      ['slower', 'connected', ''],
      ['gone', 'failed', expect.stringContaining('ENOENT')],
    ]);
    expect(toolCounts(under)).toEqual([4]);
    // The one that cannot be started may have been waited for as well, for a moment.
    expect(told.filter((names) => !names.includes('gone'))).toEqual(['slow,slower', 'slower', '']);
  });

  it('reports to the host which servers it waits for, and goes on without them', async () => {
    const slow = await closedServer();
    const told: (readonly string[])[] = [];
    const under = engineWith(
      { slow: slow.config },
      {
        onMcpWait({ servers, goOn }) {
          told.push(servers);
          goOn();
          throw new Error('An error of the host changes nothing.');
        },
      },
    );
    expect(statusesIn(await under.run('Go.'))).toEqual([['slow', 'pending', '']]);
    expect(told).toEqual([['slow'], []]);
    slow.open();
    await until(() => under.engine.mcp.status()[0]?.status === 'connected');
    expect(statusesIn(await under.run('Again.'))).toEqual([['slow', 'connected', '']]);
    expect(toolCounts(under)).toEqual([0, 2]);
  });

  it('is made when the start time of a server is over, which is said', async () => {
    const slow = await closedServer();
    const under = engineWith({ slow: slow.config }, { mcpTimeouts: { startMs: 50 } });
    expect(statusesIn(await under.run('Go.'))).toEqual([
      ['slow', 'failed', 'It was not ready within 0.05 s.'],
    ]);
    expect(toolCounts(under)).toEqual([0]);
  });

  it.each(['project', 'user', 'local', 'plugin'])(
    'waits only for servers of the call with MCP_CONNECTION_NONBLOCKING, not for one of the %s',
    async (scope) => {
      const [own, other] = [await closedServer(), await closedServer()];
      const under = engineWith(
        {},
        {
          mcpAwaited: 'call',
          mcpServers: [
            { name: 'own', scope: 'option', config: own.config },
            { name: 'other', scope, config: other.config },
          ],
          onMcpWait: ({ servers }) => servers.join() === 'own' && own.open(),
        },
      );
      expect(statusesIn(await under.run('Go.'))).toEqual([
        ['own', 'connected', ''],
        ['other', 'pending', ''],
      ]);
    },
  );

  it.each([
    ['1', 'pending'],
    ['true', 'pending'],
    ['0', 'connected'],
    ['false', 'connected'],
    ['', 'connected'],
    [undefined, 'connected'],
  ])('MCP_CONNECTION_NONBLOCKING=%s: a server of .mcp.json is %s', async (value, expected) => {
    const slow = await closedServer();
    const cwd = await mkdtemp(join(tmpdir(), 'turnwright-mcp-'));
    await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { slow: slow.config } }));
    const { callModel } = scriptedModel([say('x')]);
    const messages: SDKMessage[] = [];
    const options = {
      cwd,
      env: { ...(value !== undefined && { MCP_CONNECTION_NONBLOCKING: value }) },
      settingSources: ['project' as const],
      projectTrusted: true,
      engine: { callModel, home: undefined },
      persistSession: false,
      onMcpWait: () => slow.open(),
    };
    for await (const message of query({ prompt: 'Hi.', options })) messages.push(message);
    expect(statusesIn(messages)).toEqual([['slow', expected, '']]);
  });
});
