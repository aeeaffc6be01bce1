import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchPage, pageAddress } from '../../src/web/fetch-page.ts';
import type { HostAddress, WebPort } from '../../src/web/web-port.ts';
import { html, type PageServer, type Pages, portFor, servePages } from './page-server.ts';

const open: PageServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
async function serve(pages: Pages): Promise<PageServer> {
  const server = await servePages(pages);
  open.push(server);
  return server;
}
const never = new AbortController().signal;
const get = (url: string, port: WebPort) => fetchPage(pageAddress(new URL(url), port), port, never);

describe('which hosts are asked', () => {
  const resolving = (...addresses: string[]): Partial<WebPort> => ({
    resolve: async () => addresses.map((address): HostAddress => ({ address, family: 4 })),
  });

  it.each([
    ['http://127.0.0.1/', 'loopback'],
    ['http://2130706433/', 'loopback'],
    ['http://0x7f.1/', 'loopback'],
    ['http://[::1]/', 'loopback'],
    ['http://[::ffff:169.254.169.254]/', 'link-local'],
    ['http://169.254.169.254/latest/meta-data/', 'link-local'],
  ])('%s is refused: %s', async (url, kind) => {
    expect(await get(url, portFor([]))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining(`is ${kind}`),
    });
  });

  it('a name is refused for any of its addresses', async () => {
    const port = portFor([], resolving('93.184.215.14', '10.0.0.8'));
    expect(await get('https://docs.example/', port)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('its address 10.0.0.8 is private'),
    });
  });

  it('the connection goes to the addresses that were looked at, whatever the name says later', async () => {
    const answers = ['93.184.215.14', '127.0.0.1'];
    const given: unknown[] = [];
    const connections: ReturnType<WebPort['connect']> = {
      proxied: false,
      request({ lookup }) {
        for (const all of [true, false])
          lookup?.('docs.example', { all }, (_error, address) => given.push(address));
        throw new Error('far enough');
      },
      close: () => {},
    };
    const port = portFor([], {
      resolve: async () => [{ address: answers.shift() ?? '', family: 4 }],
      connect: () => connections,
    });
    expect(await get('https://docs.example/', port)).toMatchObject({
      why: expect.stringContaining('far enough'),
    });
    expect(given).toEqual([[{ address: '93.184.215.14', family: 4 }], '93.184.215.14']);
  });

  it('a host that the user named may be a private one, and is asked as it was written', async () => {
    const server = await serve({ '/': html('<p>Hello</p>') });
    expect(await get(server.origin, portFor([server.host]))).toMatchObject({ kind: 'page', text: 'Hello' });
    expect((await get(server.origin, portFor([]))).kind).toBe('refused');
    expect(server.asked).toEqual(['/']);
  });

  it('http becomes https but for such a host; fragments are not sent', () => {
    expect(pageAddress(new URL('http://a.example:80/x?y#z'), portFor([])).href).toBe('https://a.example/x?y');
    expect(pageAddress(new URL('http://localhost:1/#z'), portFor(['localhost:1'])).href).toBe(
      'http://localhost:1/',
    );
  });

  it('behind a proxy a name that has no address here is left to it', async () => {
    let asked = 0;
    const connections: ReturnType<WebPort['connect']> = {
      proxied: true,
      request() {
        asked += 1;
        throw new Error('the proxy was asked');
      },
      close: () => {},
    };
    const port = portFor([], {
      connect: () => connections,
      resolve: async (host) => {
        if (host === 'inside.example') return [{ address: '10.0.0.1', family: 4 }];
        throw Object.assign(new Error('no'), { code: 'ENOTFOUND' });
      },
    });
    await get('https://docs.example/', port);
    expect(asked).toBe(1);
    expect((await get('https://inside.example/', port)).kind).toBe('refused');
    expect(asked).toBe(1);
  });
});

describe('redirects', () => {
  const to = (location: string) => (response: ServerResponse) => response.writeHead(302, { location }).end();

  it('are followed on the same host, and reported when they lead to another', async () => {
    const other = await serve({ '/': html('secret') });
    const server = await serve({
      '/a': to('/b?c'),
      '/b?c': html('<h1>Here</h1>'),
      '/out': to(`${other.origin}/`),
    });
    const port = portFor([server.host, other.host]);
    expect(await get(`${server.origin}/a`, port)).toMatchObject({
      kind: 'page',
      url: `${server.origin}/b?c`,
      text: '# Here',
    });
    expect(await get(`${server.origin}/out`, port)).toMatchObject({ kind: 'moved', to: `${other.origin}/` });
    expect(other.asked).toEqual([]);
  });

  it('in a circle come to an end', async () => {
    const server = await serve({ '/': to('/') });
    expect(await get(server.origin, portFor([server.host]))).toMatchObject({
      why: expect.stringContaining('redirected more than 5 times'),
    });
  });

  it('to something that is no page are refused', async () => {
    const server = await serve({ '/': to('file:///etc/passwd'), '/u': to('http://me:pw@127.0.0.1/') });
    for (const path of ['/', '/u'])
      expect((await get(server.origin + path, portFor([server.host]))).kind).toBe('refused');
  });
});

describe('what a page holds', () => {
  it('HTML becomes markdown: no scripts, links that lead somewhere', async () => {
    const page = `<!doctype html><title>T</title><style>p{}</style><h2>Install</h2>
      <script>steal()</script><p>Run <code>npm i x</code>, see <a href="../guide?a=1">the guide</a>
      or <a href="javascript:alert(1)">this</a>.</p><ul><li>one</li></ul><img src="data:image/png;base64,AAAA" alt="plan">
      <!-- <p>hidden</p> --><script>never closed`;
    const server = await serve({ '/docs/': html(page) });
    const outcome = await get(`${server.origin}/docs/`, portFor([server.host]));
    expect(outcome).toMatchObject({
      text: `## Install\n\nRun \`npm i x\`, see [the guide](${server.origin}/guide?a=1) or this.\n\n-   one\n\nplan`,
    });
  });

  it.each(['<div>', '<ul><li>', '<b>', '<font><p>'])(
    'a page of %s without end is read all the same',
    async (tag) => {
      const server = await serve({ '/': html(`${tag.repeat(50_000)}deep down`) });
      expect(await get(server.origin, portFor([server.host]))).toMatchObject({ text: 'deep down' });
    },
  );

  it.each([
    ['the header', 'text/html; charset=iso-8859-1', Buffer.from('<p>caf\xe9', 'latin1')],
    ['the page', 'text/html', Buffer.from('<meta charset="windows-1252"><p>caf\xe9', 'latin1')],
    ['a mark', 'text/html', Buffer.from('\ufeff<p>café', 'utf16le')],
    ['nobody', '', Buffer.from('<html><p>café', 'utf8')],
  ])('the encoding is told by %s', async (_, type, bytes) => {
    const server = await serve({
      '/': (response) => response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(bytes),
    });
    expect(await get(server.origin, portFor([server.host]))).toMatchObject({ text: 'café' });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('%s is unpacked, and bounded behind the unpacking', async (encoding, pack) => {
    const send = (text: string) => (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': encoding }).end(pack(text));
    const server = await serve({ '/': send('plain words'), '/bomb': send('0'.repeat(6 * 1024 * 1024)) });
    const port = portFor([server.host]);
    expect(await get(server.origin, port)).toMatchObject({ text: 'plain words', bytes: 11 });
    expect(await get(`${server.origin}/bomb`, port)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('longer than 5 MB'),
    });
  });

  it.each([
    ['application/pdf', 'application/pdf'],
    ['image/png', 'image/png'],
    ['', 'binary data'],
  ])('%s is refused with a reason', async (type, named) => {
    const server = await serve({
      '/': (response) =>
        response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(Buffer.from([1, 0, 2])),
    });
    expect(await get(server.origin, portFor([server.host]))).toMatchObject({
      kind: 'refused',
      code: 200,
      why: expect.stringContaining(`It is no text (${named}`),
    });
  });
});

describe('when it goes wrong', () => {
  it('a server that does not finish is given up', async () => {
    const server = await serve({
      '/': (response) => response.writeHead(200, { 'content-type': 'text/plain' }).write('begun'),
    });
    expect(await get(server.origin, portFor([server.host], { timeoutMs: 50 }))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('within 50 ms'),
    });
  });

  it('a body that breaks off, packed or not, is not taken for whole', async () => {
    const cut = (headers: object) => (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '1000', ...headers });
      response.write(gzipSync('half of it'), () => response.destroy());
    };
    const server = await serve({ '/': cut({}), '/packed': cut({ 'content-encoding': 'gzip' }) });
    for (const path of ['/', '/packed'])
      expect((await get(server.origin + path, portFor([server.host]))).kind).toBe('refused');
  });

  it('an abort ends the waiting and rejects', async () => {
    const controller = new AbortController();
    const server = await serve({ '/': () => controller.abort(new Error('enough')) });
    const port = portFor([server.host]);
    await expect(fetchPage(new URL(server.origin), port, controller.signal)).rejects.toThrow('enough');
  });
});
