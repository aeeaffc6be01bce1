import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { bypassesProxy } from '@turnwright/base/http/connections.ts';
import {
  type ApiServer,
  apiServer,
  EVENT_STREAM,
  HELLO,
  hello,
  overloaded,
  sse,
} from '@turnwright/test/model/api-server.ts';
import { clientFor, failureOf, run } from '@turnwright/test/model/conversation.ts';
import { settle, skippingClock } from '@turnwright/test/model/skipping-clock.ts';
import { build } from 'esbuild';
import { afterEach, describe, expect, it } from 'vitest';

// A key pair made for these tests alone, for the name api.example.test.
const cert = readFileSync(new URL('../../../../test/model/fixtures/tls-cert.pem', import.meta.url), 'utf8');
const key = readFileSync(new URL('../../../../test/model/fixtures/tls-key.pem', import.meta.url), 'utf8');

let server: ApiServer | undefined;
const closing: (() => void)[] = [];
afterEach(async () => {
  await server?.close();
  server = undefined;
  for (const close of closing.splice(0)) close();
});

async function listen(listening: Server): Promise<number> {
  const sockets = new Set<Socket>();
  listening.on('connection', (socket) => sockets.add(socket));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    listening.close();
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return (listening.address() as AddressInfo).port;
}

/** Sends everything to one port on loopback, whatever host was asked for. */
async function proxyTo(port: number, refuse = false) {
  const seen: { method: string; target: string; authorization: string | undefined }[] = [];
  const note = (incoming: IncomingMessage) =>
    seen.push({
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      authorization: incoming.headers['proxy-authorization'],
    });
  const proxy = createServer((incoming, response) => {
    note(incoming);
    const { pathname } = new URL(incoming.url ?? '');
    const onward = httpRequest(
      { host: '127.0.0.1', port, path: pathname, method: 'POST', headers: incoming.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      },
    );
    incoming.pipe(onward);
  });
  proxy.on('connect', (incoming, socket) => {
    note(incoming);
    socket.on('error', () => {});
    if (refuse) return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => {});
  });
  return { port: await listen(proxy), seen };
}

async function tlsApi() {
  let connections = 0;
  const api = createTlsServer({ key, cert }, (request, response) => {
    request.resume();
    response.writeHead(200, EVENT_STREAM);
    response.end(sse(...HELLO));
  });
  const names: unknown[] = [];
  api.on('secureConnection', (socket) => {
    connections++;
    names.push(socket.servername);
  });
  return { port: await listen(api), connections: () => connections, names: () => names };
}

describe('proxies', () => {
  it('http goes through the proxy in absolute form', async () => {
    server = await apiServer(hello);
    const proxy = await proxyTo(Number(new URL(server.url).port));
    const client = clientFor('http://api.example.test/base', {
      proxyUrl: `http://me:p%40ss@127.0.0.1:${proxy.port}`,
    });
    expect((await run(client)).outcome.kind).toBe('complete');
    expect(proxy.seen).toEqual([
      {
        method: 'POST',
        target: 'http://api.example.test/base/v1/messages',
        authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
      },
    ]);
    expect(server.received[0]?.headers.host).toBe('api.example.test');
  });

  it('https goes through a tunnel, which is kept for the next call', async () => {
    const api = await tlsApi();
    const proxy = await proxyTo(api.port);
    const client = clientFor('https://api.example.test', {
      proxyUrl: `http://127.0.0.1:${proxy.port}`,
      ca: cert,
    });
    expect((await run(client)).outcome.kind).toBe('complete');
    expect((await run(client)).outcome.kind).toBe('complete');
    expect(proxy.seen).toEqual([
      { method: 'CONNECT', target: 'api.example.test:443', authorization: undefined },
    ]);
    await client.close();
  });

  it('a proxy that refuses is named, not asked again', async () => {
    const proxy = await proxyTo(1, true);
    const { outcome } = await run(
      clientFor('https://api.example.test', { proxyUrl: `http://127.0.0.1:${proxy.port}` }),
    );
    expect(failureOf(outcome)).toMatchObject({ kind: 'connection', shouldRetry: false });
    expect(failureOf(outcome).message).toContain('407');
    expect(proxy.seen).toHaveLength(1);
  });

  it.each([
    ['https://api.example.com', 'example.com', true],
    ['https://api.example.com', '.example.com', true],
    ['https://api.example.com', 'a.test, *.example.com', true],
    ['https://notexample.com', 'example.com', false],
    ['https://api.example.com', 'example.com:8080', false],
    ['https://api.example.com:8080', 'example.com:8080', true],
    ['https://api.example.com', '*', true],
    ['https://api.example.com', '', false],
    ['http://127.0.0.1:3000', undefined, true],
    ['http://[::1]:3000', undefined, true],
    ['http://localhost', undefined, true],
  ])('%s with NO_PROXY %j', (url, noProxy, expected) => {
    expect(bypassesProxy(new URL(url), noProxy)).toBe(expected);
  });
});

describe('TLS', () => {
  it('trusts an extra authority, and keeps its connection', async () => {
    const api = await tlsApi();
    const client = clientFor(`https://localhost:${api.port}`, { ca: Buffer.from(cert) });
    expect((await run(client)).outcome.kind).toBe('complete');
    expect((await run(client)).outcome.kind).toBe('complete');
    expect(api.connections()).toBe(1);
    await client.close();
  });

  it('the host that the caller names is the one whose certificate is asked for', async () => {
    const api = await tlsApi();
    const client = clientFor(`https://127.0.0.1:${api.port}`, {
      ca: cert,
      headers: { Host: 'api.example.test' },
    });
    expect((await run(client)).outcome.kind).toBe('complete');
    expect(api.names()).toEqual(['api.example.test']);
    await client.close();
  });

  it('an unknown certificate is not worth another try', async () => {
    const api = await tlsApi();
    const { outcome, notices } = await run(clientFor(`https://localhost:${api.port}`));
    expect(failureOf(outcome)).toMatchObject({ kind: 'connection', shouldRetry: false });
    expect(notices).toEqual([]);
  });

  it('is not loaded for http', async () => {
    const { outputFiles } = await build({
      stdin: {
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
        contents: `
          import 'node:http'; // newer versions of Node bring parts of TLS along with it
          const loaded = () => process.moduleLoadList.filter((name) => /NativeModule (https|_tls_wrap|tls)$/.test(name)).length;
          const before = loaded();
          const { createModelClient } = await import('../../src/model/create-model-client.ts');
          import { systemClock } from '@turnwright/base/clock.ts';
          const client = createModelClient({ baseUrl: 'http://127.0.0.1:1', clock: systemClock, random: () => 0, maxRetries: 0 });
          const view = { root: {}, length: 0, slice: () => [] };
          const request = { model: 'm', system: [], tools: [], view, maxTokens: 1, stream: true, sessionId: 's' };
          const call = client.call(request, { signal: new AbortController().signal, retry: { retries: 0, keepAlive: true } });
          while (!(await call.next()).done);
          console.log(loaded() - before);`,
      },
      bundle: true,
      write: false,
      platform: 'node',
      format: 'esm',
    });
    const ran = spawnSync(process.execPath, ['--input-type=module', '-'], {
      input: outputFiles[0]?.text ?? '',
      encoding: 'utf8',
    });
    expect(ran.stderr).toBe('');
    expect(ran.stdout.trim()).toBe('0');
  });
});

describe('the life of sockets', () => {
  it('F40 idle sockets are dropped when the machine slept', async () => {
    let stream = false;
    server = await apiServer((response, received, n) => {
      if (!stream) return hello(response, received, n);
      response.writeHead(200, EVENT_STREAM);
      response.write(sse(HELLO[0] as object));
    });
    const clock = skippingClock();
    const client = clientFor(server.url, { clock });
    await Promise.all([run(client), run(client)]);
    expect(server.openSockets).toBe(2);
    stream = true;
    const ran = run(client);
    while (server.received.length < 3) await settle();
    for (let i = 0; i < 20; i++) await settle();
    clock.standStill(3_600_000);
    await clock.advance(0);
    expect((await ran).outcome.kind).toBe('broken');
    await expect.poll(() => server?.openSockets).toBe(0);
  });

  it('the last client to close takes the pool with it', async () => {
    server = await apiServer(hello);
    const [one, two] = [clientFor(server.url), clientFor(server.url)];
    await run(one);
    await run(two);
    await one.close();
    await run(two);
    expect(server.received.map((got) => got.connection)).toEqual([1, 1, 1]);
    await two.close();
    await expect.poll(() => server?.openSockets).toBe(0);
  });

  it('a body that does not end behind its last event is waited for briefly, and then costs its socket', async () => {
    server = await apiServer((response) => {
      response.writeHead(200, EVENT_STREAM);
      response.write(sse(...HELLO));
    });
    const clock = skippingClock();
    const call = run(clientFor(server.url, { clock }));
    await expect
      .poll(async () => {
        await clock.advance(100);
        return server?.openSockets;
      })
      .toBe(0);
    expect((await call).outcome.kind).toBe('complete');
  });

  it('a signal used for many calls keeps no listeners', async () => {
    server = await apiServer(hello);
    const client = clientFor(server.url);
    const controller = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = controller.signal;
    controller.signal.addEventListener = (...args: Parameters<AbortSignal['addEventListener']>) => {
      listeners++;
      addEventListener.apply(controller.signal, args);
    };
    controller.signal.removeEventListener = (...args: Parameters<AbortSignal['removeEventListener']>) => {
      listeners--;
      removeEventListener.apply(controller.signal, args);
    };
    for (let n = 0; n < 20; n++) await run(client, undefined, { signal: controller.signal });
    expect(listeners).toBeLessThanOrEqual(0);
  });

  it('a large body of many rounds arrives whole', async () => {
    server = await apiServer(hello);
    const { requestOf, viewOf, user, calls, result } = await import('@turnwright/test/model/conversation.ts');
    let view = viewOf(user('go'));
    for (let n = 0; n < 200; n++)
      view = view.append([calls(`m${n}`, `t${n}`), result(`t${n}`, 'ü'.repeat(5000))]);
    const { outcome } = await run(clientFor(server.url), requestOf(view));
    expect(outcome.kind).toBe('complete');
    expect(server.received[0]?.json['messages']).toHaveLength(401);
  });
});

describe('admission', () => {
  it('is asked before each attempt and receives its outcome', async () => {
    server = await apiServer(overloaded(), hello);
    const log: unknown[] = [];
    const admission = {
      acquire: async (need: object) => {
        log.push(need);
        return {
          settle: (usage: unknown, headers?: Record<string, string>) =>
            log.push([usage, headers?.['request-id']]),
        };
      },
    };
    await run(clientFor(server.url, { admission }));
    const need = { model: 'claude-sonnet-5', sessionId: 'session-1', foreground: true };
    expect(log).toMatchObject([need, [undefined, 'req_err'], need, [{ output_tokens: 7 }, 'req_1']]);
  });

  it('a call that it postpones is not sent, and retried like one that was rate limited', async () => {
    server = await apiServer(hello);
    const needs: { readonly provider?: string; readonly tokens?: number }[] = [];
    const admission = {
      acquire: async (need: object) => {
        needs.push(need);
        return needs.length === 1 ? { retryAfterMs: 20, settle() {} } : { settle() {} };
      },
    };
    const { outcome, outputs } = await run(clientFor(server.url, { admission }));
    expect(outcome).toMatchObject({ kind: 'complete', attempts: [{ outcome: 'complete' }] });
    expect(outputs.filter(({ kind }) => kind === 'retry')).toHaveLength(1);
    expect(needs).toHaveLength(2);
    expect(needs[0]).toMatchObject({ provider: 'anthropic', tokens: expect.any(Number) });
  });

  it('abort while it is waited for', async () => {
    server = await apiServer(hello);
    const controller = new AbortController();
    const admission = {
      acquire: (_need: object, signal: AbortSignal) =>
        new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    };
    setTimeout(() => controller.abort(), 10);
    const { outcome } = await run(clientFor(server.url, { admission }), undefined, {
      signal: controller.signal,
    });
    expect(outcome).toMatchObject({ kind: 'aborted', attempts: [] });
  });
});
