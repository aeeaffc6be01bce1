import { httpServer } from '@turnwright/test/mcp/http-server.ts';
import { call, roomOf, toolIn, until } from '@turnwright/test/mcp/servers-under-test.ts';
import { virtualClock } from '@turnwright/testing/virtual-clock.ts';
import { describe, expect, it } from 'vitest';

const KINDS = [
  ['streamable HTTP', { type: 'http', path: '/mcp' }],
  ['SSE', { type: 'sse', path: '/sse' }],
] as const;

describe.each(KINDS)('a server over %s', (_, { type, path }) => {
  const config = (url: string) => ({ type, url: url + path, headers: { authorization: `Bearer \${TOKEN}` } });

  it('is connected with the headers that were configured, and answers', async () => {
    const server = await httpServer();
    const room = await roomOf(
      { far: config(server.url) },
      { variables: () => ({ values: { TOKEN: 't0' } }) },
    );
    expect(room.statuses()).toMatchObject([{ name: 'far', status: 'connected', config: { type } }]);
    expect(JSON.stringify(room.statuses())).not.toContain('t0');
    expect((await call(toolIn(room, 'mcp__far__echo'), { text: 'over there' })).text).toBe('over there');
    expect(server.requests.every(({ headers }) => headers.authorization === 'Bearer t0')).toBe(true);
  });

  it('F77 is notified when a call is abandoned', async () => {
    const server = await httpServer();
    const room = await roomOf({ far: config(server.url) }, { variables: () => ({ values: { TOKEN: 't' } }) });
    const abort = new AbortController();
    const hanging = call(toolIn(room, 'mcp__far__hang'), {}, abort.signal);
    await until(() => server.calls.length > 0);
    abort.abort('user');
    await expect(hanging).rejects.toBe('user');
    await until(() => server.cancelled() > 0);
  });

  it('F80 that breaks off in a call leaves the outcome open, and is connected again', async () => {
    const server = await httpServer();
    const room = await roomOf({ far: config(server.url) }, { variables: () => ({ values: { TOKEN: 't' } }) });
    const hanging = call(toolIn(room, 'mcp__far__hang'));
    await until(() => server.calls.length > 0);
    server.breakConnections();
    expect((await hanging).text).toMatch(/outcome is unknown.*not repeated/);
    expect(server.calls).toEqual(['hang']);
    expect((await call(toolIn(room, 'mcp__far__echo'), { text: 'again' })).text).toBe('again');
  });

  it.runIf(type === 'http')('F82 that refuses a call and then is silent is lost', async () => {
    const server = await httpServer();
    const clock = virtualClock();
    const room = await roomOf(
      { far: config(server.url) },
      { clock, variables: () => ({ values: { TOKEN: 't' } }) },
    );
    let refused = 0;
    server.intercept = (_request, response) => {
      if (refused++ === 0) response.writeHead(500).end();
      return true;
    };
    expect((await call(toolIn(room, 'mcp__far__echo'), { text: 'x' })).text).toContain('outcome is unknown');
    await until(() => refused > 1);
    expect(room.statuses()[0]).toMatchObject({ status: 'connected' });
    await clock.advance(5_000);
    await until(() => room.statuses()[0]?.status !== 'connected');
    expect(room.statuses()[0]?.error).toContain('it does not answer any more');
  });

  it('F82 that is down at the start is failed, and there once it is up', async () => {
    const server = await httpServer();
    await server.stop();
    const room = await roomOf({ far: config(server.url) }, { variables: () => ({ values: { TOKEN: 't' } }) });
    expect(room.statuses()[0]).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/ECONNREFUSED|ECONNRESET|cannot be reached/),
    });
    await server.start();
    await until(() => room.tools.length > 0);
    expect(room.statuses()[0]).toMatchObject({ status: 'connected' });
  });

  it.each([401, 403])('that answers %d wants authorization', async (status) => {
    const server = await httpServer();
    server.intercept = (_request, response) => {
      response.writeHead(status).end();
      return true;
    };
    const room = await roomOf({ far: config(server.url) }, { variables: () => ({ values: { TOKEN: 't' } }) });
    expect(room.statuses()[0]).toMatchObject({
      status: 'needs-auth',
      error: expect.stringContaining(`${status}`),
    });
  });

  it('T118 that sends us elsewhere is not followed, and elsewhere learns nothing', async () => {
    const [server, elsewhere] = [await httpServer(), await httpServer()];
    server.intercept = (_request, response) => {
      response.writeHead(307, { location: `${elsewhere.url}${path}` }).end();
      return true;
    };
    const room = await roomOf(
      { far: config(server.url) },
      { variables: () => ({ values: { TOKEN: 'secret' } }) },
    );
    expect(room.statuses()[0]).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('not followed'),
    });
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('a session over HTTP', () => {
  it.each([true, false])(
    'F81 that the server forgot is opened anew, and the call is made once (JSON: %s)',
    async (json) => {
      const server = await httpServer({ json });
      const room = await roomOf({ far: { type: 'http', url: `${server.url}/mcp` } });
      const tools = room.tools;
      server.forget();
      expect((await call(toolIn(room, 'mcp__far__echo'), { text: 'once' })).text).toBe('once');
      expect(server.calls).toEqual(['echo']);
      expect(room.statuses()[0]).toMatchObject({ status: 'connected' });
      expect(room.tools).toBe(tools);
    },
  );

  it('F81 survives one stray 404', async () => {
    const server = await httpServer();
    const room = await roomOf({ far: { type: 'http', url: `${server.url}/mcp` } });
    let stray = 1;
    server.intercept = (request, response) => {
      if (request.method !== 'POST' || stray-- <= 0) return false;
      response.writeHead(404).end();
      return true;
    };
    expect((await call(toolIn(room, 'mcp__far__echo'), { text: 'x' })).text).toBe('x');
    expect(server.calls).toEqual(['echo']);
  });

  it('F82 to a server that is down fails within bounds, without a call that was not made', async () => {
    const clock = virtualClock();
    const server = await httpServer();
    const room = await roomOf({ far: { type: 'http', url: `${server.url}/mcp` } }, { clock });
    await server.stop();
    const { text, output } = await clock.runUntil(call(toolIn(room, 'mcp__far__echo'), { text: 'x' }));
    expect(output.isError).toBe(true);
    expect(text).toMatch(/not connected|could not take the call|outcome is unknown/);
    expect(server.calls).toEqual([]);
    await until(() => room.statuses()[0]?.status !== 'connected');
  });

  it('T120 whose answer does not end is cut off', async () => {
    const server = await httpServer();
    const room = await roomOf({ far: { type: 'http', url: `${server.url}/mcp` } });
    server.intercept = (request, response) => {
      if (request.method !== 'POST') return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(1024 * 1024, 0x20);
      const more = (): void => {
        if (!response.destroyed) response.write(chunk, more);
      };
      more();
      return true;
    };
    expect((await call(toolIn(room, 'mcp__far__echo'))).text).toMatch(/more than 16 MB/);
  });
});
