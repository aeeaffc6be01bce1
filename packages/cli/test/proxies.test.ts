/** A proxy in the way is named as the proxy, whatever was to be reached through it. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { type McpServerStatus, query, type SDKMessage } from '@turnwright/engine';
import { against, bareEnv, rehearse } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, onTestFinished, test } from 'vitest';

async function portOf(server: Pick<Server, 'address'> & ReturnType<typeof createTcpServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A port that nobody listens at. */
async function closedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

/** A proxy that answers everything with one status: requests for a tunnel and plain ones. */
async function refusing(status: number): Promise<string> {
  const proxy = createServer((_, response) => response.writeHead(status).end('<html>No.</html>'));
  proxy.on('connect', (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
  onTestFinished(() => void proxy.close());
  return `127.0.0.1:${await portOf(proxy)}`;
}

const PROXIES: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
  ['at a closed port', async () => `127.0.0.1:${await closedPort()}`, /refuses connections/],
  ['of an unknown name', async () => 'proxy.invalid:3128', /has a host name that could not be resolved/],
  [
    'that wants a password',
    () => refusing(407),
    /asks for a name and a password \(407\): put them into its address/,
  ],
];

/** The sentence names the proxy and the variables that its address is from. */
function expectProxy(said: string, proxy: string, why: RegExp): void {
  expect(said).toContain(`The proxy (${proxy}, from `);
  expect(said).toMatch(/from HTTPS?_PROXY, ALL_PROXY or the setting proxyUrl\)/);
  expect(said).toMatch(why);
  expect(said).not.toMatch(/The endpoint|authoriz/);
}

describe.each(PROXIES)('a proxy %s is named as the proxy', (_, begin, why) => {
  test.each([
    ['HTTPS_PROXY', 'https://model.example'],
    ['https_proxy', 'https://model.example'],
    ['ALL_PROXY', 'https://model.example'],
    ['HTTP_PROXY', 'http://model.example'],
    ['http_proxy', 'http://model.example'],
  ])('for a model, by %s', async (variable, url) => {
    const proxy = await begin();
    const env = {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'k',
      TURNWRIGHT_UNREACHED_RETRIES: '0',
      [variable]: `http://${proxy}`,
    };
    const { code, stderr } = await commandLine(['-p', 'hi'], { env });
    expect(code).toBe(1);
    expectProxy(stderr, proxy, why);
  });

  test.each(['http', 'https'])('for an MCP server at %s', async (scheme) => {
    const proxy = await begin();
    const server = await rehearse(reply('Done.'));
    const env = bareEnv({ ...against(server), [`${scheme}_proxy`]: `http://${proxy}` });
    const mcpServers = { garden: { type: 'http', url: `${scheme}://garden.example/mcp` } } as const;
    const run = query({ prompt: 'hi', options: { env, mcpServers } });
    const seen: McpServerStatus[] = [];
    for await (const message of run)
      if (message.type === 'assistant') seen.push(...(await run.mcpServerStatus()));
    const [status] = seen;
    expect(status).toMatchObject({ status: 'failed' });
    expectProxy(status?.error ?? '', proxy, why);
  });

  test('for a page', async () => {
    const proxy = await begin();
    const fetching = toolUse('WebFetch', { url: 'https://page.example/', prompt: 'What is there?' });
    const server = await rehearse(reply([fetching]), reply('Done.'));
    const env = bareEnv({ ...against(server), HTTPS_PROXY: `http://${proxy}` });
    const messages: SDKMessage[] = [];
    const options = { env, allowedTools: ['WebFetch'] };
    for await (const message of query({ prompt: 'hi', options })) messages.push(message);
    const answer = messages.find(({ type }) => type === 'user');
    expectProxy(JSON.stringify(answer), proxy, why);
  });
});

test.each(['HTTP_PROXY', 'HTTPS_PROXY'])('an address that is none names %s', async (variable) => {
  const env = { ANTHROPIC_API_KEY: 'k', [variable]: 'http://' };
  const { code, stderr } = await commandLine(['-p', 'hi'], { env });
  expect(code).toBe(2);
  expect(stderr).toContain(`The proxy URL (${variable}, ALL_PROXY or the setting proxyUrl) must be`);
});
