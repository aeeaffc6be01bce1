/** A server of this machine answers no page that lets its own name lead here (DNS rebinding), nor one of another site. */
import { request as httpRequest } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { isOfThisMachine, refusedHost } from '@turnwright/base/host-header.ts';
import { serveHealth } from '@turnwright/durable';
import { startRehearsal } from '@turnwright/testing/rehearsal';
import { toNodeListener, webAgent } from '@turnwright/web';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenForCallback } from '../../packages/engine/src/mcp/oauth/callback.ts';
import { serve } from './page-under-test.ts';

const agent = (hosts?: readonly string[]) =>
  webAgent(() => Promise.reject(new Error('No run.')), hosts === undefined ? {} : { hosts });

/** The status of a request with these headers, as a browser would send them. */
const statusOf = (url: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    httpRequest(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

const NAMES_OF_OTHERS = [
  'evil.example',
  'evil.example:3000',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil-localhost',
  'a.localhost',
  'evil.example@127.0.0.1',
  '127.0.0.1@evil.example',
  'localhost/evil.example',
  '1.2.3.4.5.evil',
  'xn--evil.example',
];
const OWN = [
  '127.0.0.1',
  '127.0.0.1:3000',
  'localhost',
  'LOCALHOST:1',
  '[::1]:3000',
  '192.168.1.5',
  '10.0.0.1:80',
];

describe('a host that is not ours (CVE-2026-22812)', () => {
  it.each(NAMES_OF_OTHERS)(
    '%j is refused by the web kit, of workers’ health and the rehearsal',
    async (host) => {
      const page = await serve(agent());
      onTestFinished(() => page.close());
      const health = await serveHealth({
        health: { state: () => ({ ok: true }), figures: () => [] },
        port: 0,
      });
      onTestFinished(() => health.close());
      const rehearsal = await startRehearsal();
      onTestFinished(() => rehearsal.close());
      const callback = await listenForCallback([0]);
      onTestFinished(() => callback.close());
      void callback.answer('state', new AbortController().signal);
      for (const url of [`${page.url}?run=none`, `${health.url}/metrics`, `${rehearsal.url}/v1/models`]) {
        expect(await statusOf(url, { host, origin: `http://${host}` }), url).toBe(403);
        expect(await statusOf(url, { host }), url).toBe(403);
        expect(await statusOf(url, {}), url).toBeLessThan(300);
      }
      expect(await statusOf(callback.url, { host })).toBe(404);
    },
  );

  it('is refused in HTTP/2 as well', async () => {
    const server = createHttp2Server(toNodeListener(agent()) as never);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => client.close());
    const status = (authority: string) =>
      new Promise((resolve) => {
        const stream = client.request({ ':path': '/agent?run=none', ':authority': authority });
        stream.on('response', (headers) => resolve(headers[':status'])).resume();
      });
    expect(await status('evil.example')).toBe(403);
    expect(await status('127.0.0.1:3000')).toBe(204);
  });
});

describe('webAgent', () => {
  it.each([
    ...OWN.map((host) => [host, undefined, undefined, 204] as const),
    ['127.0.0.1:3000', 'http://127.0.0.1:3000', undefined, 204],
    ['localhost:3000', 'https://localhost:3000', undefined, 204],
    ['localhost', 'https://localhost', undefined, 204],
    ['localhost:443', 'https://localhost', undefined, 204],
    ['127.0.0.1:3000', 'http://127.0.0.1:3001', undefined, 403],
    ['127.0.0.1:3000', 'http://localhost:3000', undefined, 403],
    ['127.0.0.1:3000', 'https://evil.example', undefined, 403],
    ['127.0.0.1:3000', 'null', undefined, 403],
    ['0.0.0.0:3000', 'http://evil.example', undefined, 403],
    ['127.0.0.1:3000', 'file://', undefined, 403],
    ['app.example.com', undefined, ['app.example.com'], 204],
    ['APP.example.com:8443', undefined, ['app.example.com'], 204],
    ['app.example.com', 'https://app.example.com', ['app.example.com'], 204],
    ['internal:8080', 'https://app.example.com', ['app.example.com', 'internal'], 204],
    ['app.example.com', 'https://evil.example', ['app.example.com'], 403],
    ['evil.example', 'https://app.example.com', ['app.example.com'], 403],
    ['app.example.com:1', undefined, ['app.example.com:2'], 403],
    ['127.0.0.1', undefined, ['app.example.com'], 403],
    ['sub.app.example.com', undefined, ['app.example.com'], 403],
    ['app.example.com.evil.example', undefined, ['app.example.com'], 403],
  ] as const)('host %s, origin %s, hosts %j: %s', async (host, origin, hosts, status) => {
    const page = await serve(agent(hosts));
    onTestFinished(() => page.close());
    const headers = { host, ...(origin !== undefined && { origin }) };
    expect(await statusOf(`${page.url}?run=none`, headers)).toBe(status);
  });

  it('says what to do', async () => {
    const answer = await agent(['a.example'])(new Request('http://b.example/agent?run=x'));
    expect(await answer.json()).toEqual({
      error:
        'This server does not answer for the host "b.example". The names of this server are the option "hosts" of webAgent().',
    });
  });

  it('without `hosts`, and without knowing the connection, compares the origin alone', async () => {
    const status = async (headers: Record<string, string>) =>
      (await agent()(new Request('http://app.example.com/agent?run=x', { headers }))).status;
    expect(await status({})).toBe(204);
    expect(await status({ origin: 'https://app.example.com' })).toBe(204);
    expect(await status({ origin: 'https://evil.example' })).toBe(403);
  });
});

it.each([
  [{ remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' }, true],
  [{ remoteAddress: '127.8.0.1', localAddress: '127.0.0.1' }, true],
  [{ remoteAddress: '::1', localAddress: '::1' }, true],
  [{ remoteAddress: '::ffff:127.0.0.1', localAddress: '::ffff:127.0.0.1' }, true],
  [{ remoteAddress: '192.168.1.5', localAddress: '192.168.1.5' }, true],
  [{ remoteAddress: '192.168.1.9', localAddress: '192.168.1.5' }, false],
  [{}, false],
])('%j is of this machine: %s', (socket, is) => {
  expect(isOfThisMachine(socket)).toBe(is);
  expect(refusedHost({ host: 'app.example.com', isLocal: is }) !== undefined).toBe(is);
});
