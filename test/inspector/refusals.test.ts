/** Who is not answered: 42 requests that get a status, and not one byte of the session (B6). */
import { request } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeSession } from './made-session.ts';
import { SAMPLE, SAMPLE_ID } from './sample-sessions.ts';
import { newHome, serveSession } from './served.ts';

const SECRET = 'parser';
const API = `/api/index?session=${SAMPLE_ID}`;

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

describe('a request that is not from the page', () => {
  const home = newHome();
  beforeAll(() => {
    writeSession(home, SAMPLE);
  });

  async function serve() {
    const served = await serveSession(home, SAMPLE_ID);
    const port = Number(new URL(served.origin).port);
    const ask = ({ method = 'GET', path = API, headers = {} }: Asked): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const sent = request(
          { host: '127.0.0.1', port, method, path, headers: { host: `127.0.0.1:${port}`, ...headers } },
          (answer) => {
            let body = '';
            answer.setEncoding('utf8').on('data', (text: string) => {
              body += text;
            });
            answer.on('end', () =>
              resolve({ status: answer.statusCode ?? 0, body, headers: answer.headers }),
            );
          },
        );
        sent.on('error', reject);
        sent.end();
      });
    return { ...served, port, ask, bearer: { authorization: `Bearer ${served.token}` } };
  }

  it('is refused in each of 42 forms', async () => {
    const { ask, bearer, port, token } = await serve();
    const old = 'A'.repeat(token.length);
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      'localhost',
      `127.0.0.1:${port + 1}`,
      `127.0.0.1.evil.example:${port}`,
      `127.1:${port}`,
      `0.0.0.0:${port}`,
      `LOCALHOST.:${port}`,
      `2130706433:${port}`,
    ];
    const cases: readonly (readonly [status: number, asked: Asked])[] = [
      ...['', token.slice(0, -1), `${token}x`, old, token.toUpperCase()].map(
        (given) => [403, { headers: { authorization: `Bearer ${given}` } }] as const,
      ),
      [403, {}],
      [403, { headers: { authorization: `Basic ${token}` } }],
      [403, { path: `${API}&token=${token}` }],
      ...hosts.map((host) => [403, { headers: { ...bearer, host } }] as const),
      ...['http://evil.example', 'null', `https://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`].map(
        (origin) => [403, { headers: { ...bearer, origin } }] as const,
      ),
      ...['cross-site', 'same-site'].map(
        (site) => [403, { headers: { ...bearer, 'sec-fetch-site': site } }] as const,
      ),
      [403, { path: '/', headers: { 'sec-fetch-site': 'cross-site' } }],
      ...['POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) => [405, { method, headers: bearer }] as const),
      ...[
        '/api/../api/index',
        '/api/%2e%2e/index',
        '/api/index%2f..',
        '/..%5cwindows',
        '/etc/passwd',
        '/api/',
        '/api/nothing',
        '/api/index/',
      ].map((path) => [404, { path, headers: bearer }] as const),
      ...['/api/index?session=..%2f..%2fother', '/api/index?session=%2e%2e', '/api/index?session=%00'].map(
        (path) => [404, { path, headers: bearer }] as const,
      ),
      [403, { path: `/api/live?session=${SAMPLE_ID}` }],
      [403, { path: `/api/search?session=${SAMPLE_ID}&q=${SECRET}` }],
    ];
    expect(cases).toHaveLength(42);
    const wrong: unknown[] = [];
    for (const [status, asked] of cases) {
      const answer = await ask(asked);
      const isClean =
        !answer.body.includes(SECRET) && answer.headers['access-control-allow-origin'] === undefined;
      if (answer.status !== status || !isClean)
        wrong.push({ asked, got: answer.status, body: answer.body.slice(0, 80) });
    }
    expect(wrong).toEqual([]);
  });

  it('the page itself holds nothing of a session, and what is safe is answered', async () => {
    const { ask, bearer, port } = await serve();
    const shell = await ask({ path: '/' });
    expect(shell.status).toBe(200);
    expect(shell.body).not.toContain(SECRET);
    expect(shell.headers).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'; .*frame-ancestors 'none'$/,
      ),
    });
    expect(shell.headers['set-cookie']).toBeUndefined();
    const origin = `http://localhost:${port}`;
    for (const headers of [
      bearer,
      { ...bearer, origin, 'sec-fetch-site': 'same-origin', host: `localhost:${port}` },
    ]) {
      const answer = await ask({ headers });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body)).toMatchObject({ sessionId: SAMPLE_ID });
    }
    expect(await ask({ method: 'HEAD', headers: bearer })).toMatchObject({ status: 200, body: '' });
  });

  it('two Host headers, or none, are refused before anything is read', async () => {
    const { port, token } = await serve();
    const raw = (hosts: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(port, '127.0.0.1');
        let got = '';
        socket.on('data', (bytes) => {
          got += bytes.toString();
        });
        socket.on('close', () => resolve(got));
        socket.end(
          `GET ${API} HTTP/1.1\r\n${hosts}Authorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
        );
      });
    for (const hosts of [`Host: 127.0.0.1:${port}\r\nHost: evil.example\r\n`, '']) {
      const got = await raw(hosts);
      expect(got).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(got).not.toContain(SECRET);
    }
  });

  it('ends when no page was open for its time', async () => {
    const served = await serveSession(home, SAMPLE_ID, { idleMs: 50 });
    await served.closed;
    await expect(fetch(served.origin)).rejects.toThrow();
  });
});
