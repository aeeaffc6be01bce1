import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { systemClock } from '@turnwright/base/clock.ts';
import { engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import { type HttpServer, httpServer } from '@turnwright/test/mcp/http-server.ts';
import { until } from '@turnwright/test/mcp/servers-under-test.ts';
import { say } from '@turnwright/testing';
import { expect, it, onTestFinished } from 'vitest';
import type { QueryEngineConfig } from '../../src/engine/config.ts';

/** Sends everything to `server`, whatever host it is meant for. */
async function proxyTo(server: HttpServer) {
  const hosts: string[] = [];
  const tls = createTlsServer({
    cert: readFileSync(new URL('../../../../test/model/fixtures/tls-cert.pem', import.meta.url)),
    key: readFileSync(new URL('../../../../test/model/fixtures/tls-key.pem', import.meta.url)),
  });
  const forward: Parameters<typeof createServer>[1] = (incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://here');
    const { method, headers } = incoming;
    incoming.pipe(
      request(new URL(pathname, server.url), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      }),
    );
  };
  tls.on('request', forward);
  const proxy = createServer((incoming, outgoing) => {
    hosts.push(new URL(incoming.url ?? '').host);
    forward?.(incoming, outgoing);
  });
  proxy.on('connect', (incoming, socket) => {
    hosts.push(incoming.url ?? '');
    const inner = connect((tls.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(inner).pipe(socket);
    });
    for (const each of [socket, inner]) each.on('error', () => undefined);
  });
  for (const each of [tls, proxy]) {
    await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      each.closeAllConnections();
      each.close();
    });
  }
  return { hosts, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}

function connected(config: Partial<QueryEngineConfig>, url: string) {
  const { engine } = engineUnderTest([say('x')], {
    clock: systemClock,
    mcpServers: [{ name: 'far', scope: 'option', config: { type: 'http', url } }],
    ...config,
  });
  onTestFinished(() => engine.close());
  return until(() => engine.mcp.status().find(({ status }) => status !== 'pending'));
}

it('servers are reached through the proxy that the model is reached through', async () => {
  const proxy = await proxyTo(await httpServer({ json: true }));
  expect(await connected({ proxyUrl: proxy.url }, 'http://tools.test/mcp')).toMatchObject({
    status: 'connected',
  });
  expect(new Set(proxy.hosts)).toEqual(new Set(['tools.test']));
});

it('over https too, with the authorities that the session trusts, and with no others', async () => {
  const proxy = await proxyTo(await httpServer({ json: true }));
  const ca = readFileSync(new URL('../../../../test/model/fixtures/tls-cert.pem', import.meta.url), 'utf8');
  const url = 'https://api.example.test/mcp';
  expect(await connected({ proxyUrl: proxy.url, ca }, url)).toMatchObject({ status: 'connected' });
  expect(new Set(proxy.hosts)).toEqual(new Set(['api.example.test:443']));
  expect(await connected({ proxyUrl: proxy.url }, url)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/self.signed/i),
  });
});
