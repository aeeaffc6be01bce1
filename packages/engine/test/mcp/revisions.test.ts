/** Servers of each revision of the protocol, and of none, over pipes and HTTP. */
import { mkdtemp, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { openConnections } from '@turnwright/base/http/connections.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { oauthServer } from '@turnwright/test/mcp/oauth-server.ts';
import {
  call,
  linesOf,
  type Room,
  roomOf,
  stdio,
  temporaryFile,
  toolIn,
  until,
} from '@turnwright/test/mcp/servers-under-test.ts';
import { reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { virtualClock } from '@turnwright/testing/virtual-clock.ts';
import { describe, expect, it } from 'vitest';
import { type McpServerConfig, query } from '../../src/index.ts';
import { createCredentialStore } from '../../src/mcp/oauth/credential-store.ts';
import { logInToServer } from '../../src/mcp/oauth/log-in-to-server.ts';
import type { ElicitPort } from '../../src/mcp/tools/elicitation.ts';
import { event, type RevisionsServer, revisionsServer } from './revisions-server.ts';

const PROGRAM = fileURLToPath(new URL('../../../../test/mcp/servers/revisions.mjs', import.meta.url));
const [NEW, OLD] = ['2026-07-28', '2024-11-05'];

/** A server that is met for the first time: nothing is remembered of its log's name. */
async function program(how: string) {
  const log = await temporaryFile('log');
  return { config: stdio(PROGRAM, [how, log], { LOG: log }), asked: () => linesOf(log) };
}

const echoed = async (room: Room) => (await call(toolIn(room, 'mcp__it__echo'), { text: 'hello' })).text;
const statusOf = (room: Room) => room.statuses()[0];

describe('a server', () => {
  const used = ['tools/list', 'tools/call'];
  const initialized = ['initialize', 'notifications/initialized', ...used];

  it.each([
    ['new', NEW, ['start', 'server/discover', ...used]],
    ['old', OLD, ['start', 'server/discover', ...initialized]],
    ['silent', OLD, ['start', 'server/discover', ...initialized]],
    ['dies', OLD, ['start', 'server/discover', 'start', ...initialized]],
    ['closes', OLD, ['start', 'server/discover', 'start', ...initialized]],
  ])('that is a program (%s) is met in %s, and met in the same way again', async (how, revision, met) => {
    const { config, asked } = await program(how);
    const room = await roomOf({ it: config });
    expect(statusOf(room)).toMatchObject({
      status: 'connected',
      protocolVersion: revision,
      serverInfo: { name: 'revisions' },
    });
    expect(await echoed(room)).toBe('hello');
    const first = await asked();
    // A program that starts slowly finds both requests.
    expect(first.filter((line) => line !== 'server/discover' && line !== 'initialize').sort()).toEqual(
      met.filter((line) => line !== 'server/discover' && line !== 'initialize').sort(),
    );
    expect(first).toContain('server/discover');
    await room.reconnect('it');
    const again = (await asked()).slice(first.length);
    const opening = revision === NEW ? 'server/discover' : 'initialize';
    expect(again.filter((line) => ['start', 'server/discover', 'initialize'].includes(line))).toEqual([
      'start',
      opening,
    ]);
  });

  it('that is a program of both is met in the newer one, at the latest when it is met again', async () => {
    const room = await roomOf({ it: (await program('both')).config });
    // One that starts slowly finds both requests, and is bound by the second.
    expect([NEW, OLD]).toContain(statusOf(room)?.protocolVersion);
    expect(await echoed(room)).toBe('hello');
    await room.reconnect('it');
    expect(statusOf(room)).toMatchObject({ status: 'connected', protocolVersion: NEW });
    expect(await echoed(room)).toBe('hello');
  });

  it.each([
    ['new', NEW, ['server/discover', 'tools/list', 'tools/call']],
    ['old', OLD, ['server/discover', 'initialize', 'notifications/initialized', 'tools/list', 'tools/call']],
    ['both', NEW, ['server/discover', 'tools/list', 'subscriptions/listen', 'tools/call']],
  ])('over HTTP (%s) is met in %s, and met in the same way again', async (how, revision, met) => {
    const server = await revisionsServer(how);
    const room = await roomOf({ it: { type: 'http', url: server.url } });
    expect(statusOf(room)).toMatchObject({ status: 'connected', protocolVersion: revision });
    expect(await echoed(room)).toBe('hello');
    const first = server.methods();
    expect([...first].sort()).toEqual([...met].sort());
    await room.reconnect('it');
    expect(server.methods()[first.length]).toBe(revision === NEW ? 'server/discover' : 'initialize');
    for (const { method, headers, params } of server.seen) {
      if (revision !== NEW) continue;
      expect(headers).toMatchObject({ 'mcp-protocol-version': NEW, 'mcp-method': method });
      expect(headers['mcp-name']).toBe(method === 'tools/call' ? 'echo' : undefined);
      expect(headers['mcp-session-id']).toBeUndefined();
      expect(params['_meta']).toMatchObject({
        'io.modelcontextprotocol/protocolVersion': NEW,
        'io.modelcontextprotocol/clientInfo': { name: 'turnwright' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} } },
      });
    }
  });

  const refuses = (status: number, body = '', type = 'text/plain') => {
    return (response: ServerResponse) => response.writeHead(status, { 'content-type': type }).end(body);
  };
  const rpc = (error: object) => JSON.stringify({ jsonrpc: '2.0', id: null, error });
  it.each([
    ['200 and -32601', refuses(200, rpc({ code: -32_601, message: 'no' }), 'application/json')],
    ['400 and a version', refuses(400, 'Bad Request: Unsupported protocol version')],
    ['400 and -32000', refuses(400, rpc({ code: -32_000, message: 'No session' }), 'application/json')],
    [
      '400 and -32022 with older versions',
      refuses(400, rpc({ code: -32_022, message: 'no', data: { supported: [OLD] } }), 'application/json'),
    ],
    ['404', refuses(404)],
    ['405', refuses(405)],
    ['406', refuses(406, 'Not Acceptable')],
    ['500', refuses(500)],
    ['a page', refuses(200, '<!doctype html>', 'text/html')],
    ['an object', refuses(200, '{}', 'application/json')],
    ['a closed connection', (response: ServerResponse) => response.destroy()],
  ])('over HTTP that answers server/discover with %s is met with initialize', async (_, refuse) => {
    const server = await revisionsServer('old');
    server.intercept = ({ method }, response) => {
      if (method !== 'server/discover') return false;
      refuse(response);
      return true;
    };
    const room = await roomOf({ it: { type: 'http', url: server.url } });
    expect(statusOf(room)).toMatchObject({ status: 'connected', protocolVersion: OLD });
    expect(server.methods().filter((method) => method === 'server/discover')).toHaveLength(1);
    expect(await echoed(room)).toBe('hello');
  });

  it.each([
    ['never answers', () => {}],
    ['accepts, and does not answer,', (response: ServerResponse) => response.writeHead(202).end()],
  ])('over HTTP that %s server/discover is met with initialize after a while', async (_, accept) => {
    const server = await revisionsServer('old');
    server.intercept = ({ method }, response) => {
      if (method === 'server/discover') accept(response);
      return method === 'server/discover';
    };
    const clock = virtualClock();
    const opening = roomOf({ it: { type: 'http', url: server.url } }, { clock });
    await until(() => server.methods().length > 0);
    expect(server.methods()).toEqual(['server/discover']);
    await clock.advance(5_000);
    const room = await opening;
    expect(statusOf(room)).toMatchObject({ status: 'connected', protocolVersion: OLD });
  });

  it.each([401, 403])(
    'over HTTP that answers server/discover with %d is not asked in another way',
    async (status) => {
      const server = await revisionsServer('both');
      server.intercept = (_message, response) => {
        response.writeHead(status).end();
        return true;
      };
      const room = await roomOf({ it: { type: 'http', url: server.url } });
      expect(statusOf(room)).toMatchObject({ status: 'needs-auth' });
      expect(server.methods()).toEqual(['server/discover']);
    },
  );
});

describe('a server that speaks neither', () => {
  const BOTH = /Method not found.*initialize \(2025-11-25\).*server\/discover \(2026-07-28\)/;
  const FUTURE = /^It speaks version 2027-01-01 of the protocol; supported are 2025-11-25,.*2026-07-28\.$/;
  it.each([
    ['none', BOTH],
    ['future', FUTURE],
    ['exits', /^It exited with code 1; its last words: fatal: no database/],
  ])('as a program (%s) is failed, with what it said to both', async (how, says) => {
    const { config, asked } = await program(how);
    const room = await roomOf({ it: config });
    expect(statusOf(room)).toMatchObject({ status: 'failed', error: expect.stringMatching(says) });
    const starts = async () => (await asked()).filter((line) => line === 'start').length;
    // It is started again once, and never more often.
    const first = how === 'exits' ? 2 : 1;
    expect(await starts()).toBe(first);
    await room.reconnect('it').catch(() => {});
    expect(await starts()).toBe(first + 1);
    expect(statusOf(room)).toMatchObject({ status: 'failed', error: expect.stringMatching(says) });
  });

  it.each([
    ['none', BOTH],
    ['future', FUTURE],
  ])('over HTTP (%s) is failed, with what it said to both', async (how, says) => {
    const server = await revisionsServer(how);
    const room = await roomOf({ it: { type: 'http', url: server.url } });
    expect(statusOf(room)).toMatchObject({ status: 'failed', error: expect.stringMatching(says) });
  });
});

describe('what was learned about a server', () => {
  const recall = async (openings: object, config: object) => {
    const { createOpeningMemory } = await import('../../src/mcp/revisions/opening-memory.ts');
    return createOpeningMemory(openings as never).recall(config as never, Date.now());
  };

  it('is kept for the next process, without anything that is secret', async () => {
    const configHome = await mkdtemp(join(tmpdir(), 'turnwright-openings-'));
    const openings = { configHome, files: nodeFiles };
    const server = await revisionsServer('old');
    const config = { type: 'http', url: `${server.url}?key=secret`, headers: { 'x-key': 'secret' } };
    await roomOf({ it: config }, { openings });
    const text = await until(() => readFile(join(configHome, 'mcp-openings.json'), 'utf8').catch(() => ''));
    expect(text).not.toContain('secret');
    expect(await recall(openings, config)).toBe('initialize');
    const home = await mkdtemp(join(tmpdir(), 'turnwright-openings-'));
    await nodeFiles.writeAtomic(join(home, 'mcp-openings.json'), '{"servers": {"x": 7}}');
    expect(
      await recall({ configHome: home, files: nodeFiles }, { ...config, url: 'http://x' }),
    ).toBeUndefined();
  });

  it('does not keep a server from being updated, or from going back', async () => {
    const server = await revisionsServer('both');
    const is: { only: string } = { only: 'initialize' };
    server.intercept = ({ method }, response) => {
      const other = is.only === 'initialize' ? 'server/discover' : 'initialize';
      if (method === other) response.writeHead(404).end();
      return method === other;
    };
    const room = await roomOf({ it: { type: 'http', url: server.url } });
    const found = () => statusOf(room)?.protocolVersion;
    expect(found()).toBe(OLD);
    is.only = 'server/discover';
    await room.reconnect('it');
    expect(found()).toBe(NEW);
    is.only = 'initialize';
    await room.reconnect('it');
    expect(found()).toBe(OLD);
  });
});

describe.each(['program', 'HTTP'])('without a session, a server (%s)', (kind) => {
  const meet = async (how: string, options: object = {}) => {
    const server: RevisionsServer | undefined = kind === 'HTTP' ? await revisionsServer(how) : undefined;
    const config = server === undefined ? (await program(how)).config : { type: 'http', url: server.url };
    return { server, room: await roomOf({ it: config }, options) };
  };

  it('T119 asks a question by its result, and has the answer with the same request made again', async () => {
    const asked: unknown[] = [];
    const elicit: ElicitPort = async (question) => {
      asked.push(question);
      return { action: 'accept', content: { name: 'Ada' } };
    };
    const { room } = await meet('new', { elicit });
    const { text } = await call(toolIn(room, 'mcp__it__ask'));
    expect(JSON.parse(text)).toEqual({
      answered: { action: 'accept', content: { name: 'Ada' } },
      requestState: 'opaque',
    });
    expect(asked).toMatchObject([{ serverName: 'it', mode: 'form', message: 'Who?' }]);
    const declining = await meet('new');
    expect((await call(toolIn(declining.room, 'mcp__it__ask'))).text).toContain('"action":"decline"');
  });

  it('that wants time is asked again, with pauses, and not without end', async () => {
    const clock = virtualClock();
    const { room } = await meet('new', { clock, callIdleMs: 3_600_000 });
    const waited = async (rounds: number) => {
      let done = false;
      const waiting = call(toolIn(room, 'mcp__it__wait'), { rounds }).finally(() => {
        done = true;
      });
      await until(async () => {
        await clock.advance(10_000);
        return done;
      });
      return waiting;
    };
    expect((await waited(3)).text).toBe('after 3');
    expect((await waited(1_000)).output).toMatchObject({
      isError: true,
      content: 'The server was asked 16 times, and wanted to know more each time.',
    });
  });

  it.each([
    [{ resultType: 'task' }, /of the kind "task", which is not supported/],
    [
      {
        resultType: 'input_required',
        result: { inputRequests: { a: { method: 'sampling/createMessage' } } },
      },
      /wants "sampling\/createMessage", which is not supported/,
    ],
    [{ result: { content: [{ type: 'text', text: 'plain' }] } }, /^plain$/],
    [{ result: { structuredContent: [1, 2] } }, /\[1,2\]/],
  ])('whose result is %j is answered', async (input, says) => {
    const { room } = await meet('new');
    expect((await call(toolIn(room, 'mcp__it__odd'), input)).text).toMatch(says);
  });

  it('F77 whose call is abandoned gets no notification over HTTP, where its response is closed', async () => {
    const clock = virtualClock();
    const { room, server } = await meet('new', { clock });
    const abort = new AbortController();
    const calling = call(toolIn(room, 'mcp__it__wait'), { rounds: 9 }, abort.signal);
    await until(() => clock.pending > 2);
    abort.abort('user');
    await expect(calling).rejects.toBe('user');
    expect(server?.methods() ?? []).not.toContain('notifications/cancelled');
  });
});

describe('changes of lists, without a session', () => {
  it('are heard over a pipe', async () => {
    const room = await roomOf({ it: (await program('both')).config });
    await room.reconnect('it');
    const before = room.tools.length;
    await until(async () => {
      await echoed(room);
      return room.tools.length > before;
    });
  });

  it('are heard on a response that stays open, which is opened again, and closed in the end', async () => {
    const clock = virtualClock();
    const server = await revisionsServer('both');
    const room = await roomOf({ it: { type: 'http', url: server.url } }, { clock });
    const lists = () => server.methods().filter((method) => method === 'tools/list').length;
    await until(() => server.listening.size === 1);
    expect(server.seen.find(({ method }) => method === 'subscriptions/listen')?.params).toMatchObject({
      notifications: { toolsListChanged: true },
    });
    expect(lists()).toBe(1);
    for (const response of server.listening) event(response, { method: 'notifications/tools/list_changed' });
    await until(() => lists() === 2);
    // What changed while nothing was heard is asked for.
    for (const response of server.listening) response.destroy();
    await until(async () => {
      await clock.advance(1_000);
      return server.methods().filter((method) => method === 'subscriptions/listen').length === 2;
    });
    await until(() => lists() === 3);
    await until(() => server.listening.size === 1);
    await room.close();
    await until(() => server.listening.size === 0);
  });

  it('are not listened for again where the server refuses it', async () => {
    const clock = virtualClock();
    const server = await revisionsServer('both');
    server.intercept = ({ method }, response) => {
      if (method !== 'subscriptions/listen') return false;
      const error = { code: -32_601, message: 'Method not found' };
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      return true;
    };
    const room = await roomOf({ it: { type: 'http', url: server.url } }, { clock });
    await until(() => server.methods().includes('subscriptions/listen'));
    await echoed(room);
    await clock.advance(120_000);
    expect(server.methods().filter((method) => method === 'subscriptions/listen')).toHaveLength(1);
    expect(statusOf(room)).toMatchObject({ status: 'connected' });
  });
});

describe('lists that a server calls fresh', () => {
  /** A server with tools and resources, whose lists say this of themselves. */
  async function freshServer(hints: object) {
    const server = await revisionsServer('both');
    server.intercept = ({ id, method }, response) => {
      const result = {
        'server/discover': {
          supportedVersions: [NEW],
          capabilities: { tools: {}, resources: { listChanged: true } },
        },
        'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }], ...hints },
        'resources/list': { resources: [{ uri: 'a://b', name: 'b' }], ...hints },
      }[method];
      if (result === undefined) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      return true;
    };
    const count = (method: string) => server.methods().filter((each) => each === method).length;
    return { server, config: { type: 'http', url: server.url } as const, count };
  }
  const resources = (room: Room) => call(toolIn(room, 'ListMcpResourcesTool'));

  it('F172 are not asked for again until they are stale, or have changed', async () => {
    const clock = virtualClock();
    const { server, config, count } = await freshServer({ ttlMs: 60_000, cacheScope: 'private' });
    const room = await roomOf({ it: config }, { clock });
    await resources(room);
    await resources(room);
    expect(count('resources/list')).toBe(1);
    await clock.advance(60_000);
    await resources(room);
    expect(count('resources/list')).toBe(2);
    await until(() => server.listening.size === 1);
    for (const response of server.listening)
      event(response, { method: 'notifications/resources/list_changed' });
    await until(async () => {
      await resources(room);
      return count('resources/list') === 3;
    });
    await room.reconnect('it');
    expect(count('tools/list')).toBe(2);
  });

  it('without a time, or with a wrong one, are asked for each time', async () => {
    for (const hints of [{}, { ttlMs: 0 }, { ttlMs: -5 }, { ttlMs: 'long' }, { ttlMs: Number.NaN }]) {
      const { config, count } = await freshServer(hints);
      const room = await roomOf({ it: config });
      await resources(room);
      await resources(room);
      expect(count('resources/list')).toBe(2);
    }
  });

  it('F172 serve other sessions of the process where they are public, and are read again once they are stale', async () => {
    const clock = virtualClock();
    const { config, count } = await freshServer({ ttlMs: 60_000, cacheScope: 'public' });
    await roomOf({ it: config }, { clock });
    const second = await roomOf({ it: config }, { clock });
    expect(toolIn(second, 'mcp__it__echo')).toBeDefined();
    expect(count('tools/list')).toBe(1);
    // Whoever asks with other headers may be shown something else.
    await roomOf({ it: { ...config, headers: { 'x-toolset': 'all' } } }, { clock });
    expect(count('tools/list')).toBe(2);
    await clock.advance(60_000);
    await until(() => toolIn(second, 'mcp__it__echo') && count('tools/list') === 3);
    toolIn(second, 'mcp__it__echo');
    await roomOf({ it: config }, { clock });
    expect(count('tools/list')).toBe(3);
  });

  it('serve no other session where they are private', async () => {
    const clock = virtualClock();
    const { config, count } = await freshServer({ ttlMs: 60_000, cacheScope: 'private' });
    await roomOf({ it: config }, { clock });
    await roomOf({ it: config }, { clock });
    expect(count('tools/list')).toBe(2);
  });
});

describe('arguments that are headers too', () => {
  const routed = async (input: object) => {
    const server = await revisionsServer('new');
    const room = await roomOf({ it: { type: 'http', url: server.url } });
    await call(toolIn(room, 'mcp__it__route'), input);
    const { headers } = server.seen.at(-1) ?? { headers: {} };
    return Object.entries(headers).filter(([name]) => name.startsWith('mcp-param'));
  };

  it.each([
    [
      { region: 'us-west1', deep: { size: 3 } },
      [
        ['mcp-param-region', 'us-west1'],
        ['mcp-param-size', '3'],
      ],
    ],
    [{ region: 'Zürich' }, [['mcp-param-region', `=?base64?${Buffer.from('Zürich').toString('base64')}?=`]]],
    [{ region: ' padded ' }, [['mcp-param-region', '=?base64?IHBhZGRlZCA=?=']]],
    [{ region: '=?base64?literal?=' }, [['mcp-param-region', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=']]],
    [{ region: 'a\r\nx-evil: 1' }, [['mcp-param-region', '=?base64?YQ0KeC1ldmlsOiAx?=']]],
    [{ region: null }, []],
    [{}, []],
  ])('%j', async (input, headers) => {
    expect(await routed(input)).toEqual(headers);
  });

  it('leave out a tool whose schema has them at the wrong place, and name it', async () => {
    const server = await revisionsServer('new');
    const room = await roomOf({ it: { type: 'http', url: server.url } });
    expect(room.tools.map(({ name }) => name)).not.toContain('mcp__it__misrouted');
    expect(statusOf(room)?.quarantined).toEqual([
      expect.stringMatching(/"misrouted" was left out.*x-mcp-header/),
    ]);
    const overPipe = await roomOf({ it: (await program('new')).config });
    expect(overPipe.tools.map(({ name }) => name)).toContain('mcp__it__misrouted');
  });

  it('are sent as the server wants them now, when its schema changed', async () => {
    const server = await revisionsServer('new');
    const room = await roomOf({ it: { type: 'http', url: server.url } });
    let refusals = 1;
    server.intercept = ({ method }, response) => {
      if (method !== 'tools/call' || refusals-- <= 0) return false;
      const error = { code: -32_020, message: 'Header mismatch' };
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      return true;
    };
    expect(await echoed(room)).toBe('hello');
    expect(server.methods().slice(-3)).toEqual(['tools/call', 'tools/list', 'tools/call']);
  });
});

describe.each(['library', 'command line'])('from the %s', (door) => {
  it.each(['new', 'old', 'both'])(
    'a server of the revisions "%s" that wants a login is used after it',
    async (how) => {
      const [server, guard] = [await revisionsServer(how), await oauthServer()];
      const { intercept } = guard;
      // Who has a token is served by the one, and everybody else by the other.
      guard.intercept = async (request, response) => {
        if ((await intercept?.(request, response)) === true) return true;
        await server.handle(request, response);
        return true;
      };
      const config = { type: 'http' as const, url: `${guard.url}/mcp` };
      const home = await mkdtemp(join(tmpdir(), 'turnwright-revisions-'));
      await logInToServer({
        server: config,
        store: createCredentialStore(home, nodeFiles),
        connect: (baseUrl) => openConnections({ baseUrl }),
        nowMs: Date.now,
        show: async (address) => void (await guard.approve(address)),
        signal: new AbortController().signal,
      });
      await expectUsed(door, config, home);
      const opened = how === 'old' ? 'initialize' : 'server/discover';
      expect(server.methods().filter((method) => method === opened)).toHaveLength(1);
    },
  );

  it.each([
    ['new', 'stdio'],
    ['new', 'http'],
    ['old', 'stdio'],
    ['old', 'http'],
    ['both', 'stdio'],
    ['both', 'http'],
  ])('a server of the revisions "%s" over %s is used', async (how, transport) => {
    const config =
      transport === 'stdio'
        ? (await program(how)).config
        : { type: 'http' as const, url: (await revisionsServer(how)).url };
    await expectUsed(door, config, await mkdtemp(join(tmpdir(), 'turnwright-revisions-')));
  });
});

/** A tool of it is called, through one of the doors. */
async function expectUsed(door: string, config: object, home: string): Promise<void> {
  const model = await startRehearsal({
    scenario: ({ lastResult }) =>
      lastResult === undefined
        ? reply(toolUse('mcp__it__echo', { text: 'hello' }, 'toolu_1'))
        : reply(lastResult),
  });
  const env = { TURNWRIGHT_HOME: home, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'rehearsal' };
  const servers = { it: { ...config, alwaysLoad: true } as McpServerConfig };
  try {
    if (door === 'library') {
      const options = {
        cwd: home,
        env: { PATH: process.env['PATH'], ...env },
        mcpServers: servers,
        allowedTools: ['mcp__it'],
        persistSession: false,
      };
      const results: unknown[] = [];
      for await (const message of query({ prompt: 'Go.', options }))
        if (message.type === 'result') results.push(message);
      expect(results).toMatchObject([{ subtype: 'success', result: 'hello' }]);
    } else {
      const given = JSON.stringify({ mcpServers: servers });
      const ran = await commandLine(['-p', 'Go.', '--mcp-config', given, '--allowedTools', 'mcp__it'], {
        env,
      });
      expect(ran).toMatchObject({ code: 0, stdout: 'hello\n' });
    }
  } finally {
    await model.close();
  }
}
