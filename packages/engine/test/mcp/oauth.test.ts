import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { openConnections } from '@turnwright/base/http/connections.ts';
import { type OAuthServer, oauthServer } from '@turnwright/test/mcp/oauth-server.ts';
import { call, roomOf, temporaryFile, toolIn, until } from '@turnwright/test/mcp/servers-under-test.ts';
import { virtualClock } from '@turnwright/testing/virtual-clock.ts';
import { describe, expect, it } from 'vitest';
import { createCredentialStore } from '../../src/mcp/oauth/credential-store.ts';
import { type LogInOptions, logInToServer } from '../../src/mcp/oauth/log-in-to-server.ts';
import { logOut } from '../../src/mcp/oauth/log-out.ts';

async function stage() {
  const server = await oauthServer();
  const home = dirname(await temporaryFile('x'));
  const store = createCredentialStore(home, nodeFiles);
  const config = { type: 'http' as const, url: `${server.url}/mcp` };
  const connect = (baseUrl: URL) => openConnections({ baseUrl });
  const login = (more: Partial<LogInOptions> = {}) =>
    logInToServer({
      server: config,
      store,
      connect,
      nowMs: Date.now,
      show: async (address) => void (await server.approve(address)),
      signal: new AbortController().signal,
      ...more,
    });
  const room = (options = {}) => roomOf({ far: config }, { credentials: store, ...options });
  const kept = async () => {
    const [name = ''] = await readdir(join(home, 'mcp-credentials')).catch(() => []);
    const file = join(home, 'mcp-credentials', name);
    return name === '' ? undefined : { file, text: await readFile(file, 'utf8') };
  };
  return { server, home, store, config, connect, login, room, kept };
}

const tokensOf = async ({ server }: { server: OAuthServer }) => server.asked['/token'] ?? 0;

describe('a server that wants a login', () => {
  it('F48 needs authorization, and a session neither waits nor registers itself', async () => {
    const { server, room } = await stage();
    const far = await room();
    expect(far.statuses()[0]).toMatchObject({ status: 'needs-auth' });
    expect(far.tools).toEqual([]);
    expect(server.asked).toEqual({});
  });

  it('is used after a login: found, registered, proved with PKCE, kept for its owner alone', async () => {
    const { server, login, room, kept } = await stage();
    await login();
    const far = await room();
    expect((await call(toolIn(far, 'mcp__far__echo'), { text: 'hello' })).text).toBe('hello');
    expect(JSON.stringify(far.statuses())).not.toMatch(/access-|refresh-/);
    const { file, text } = (await kept()) ?? { file: '', text: '' };
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
    expect(text).toContain('refresh-');
    expect(server.asked['/register']).toBe(1);
    // The client that is known is not registered again where it can be called back at the same place.
    await login();
    expect(server.asked['/register']).toBe(1);
  });

  it('renews a token before it expires, and once when it is refused', async () => {
    const { server, login, room } = await stage();
    const clock = virtualClock();
    await login({ nowMs: clock.nowMs });
    const far = await room({ clock });
    const echo = toolIn(far, 'mcp__far__echo');
    expect(await tokensOf({ server })).toBe(1);
    await clock.advance(3_550_000);
    await Promise.all([call(echo, { text: '1' }), call(echo, { text: '2' })]);
    expect(await tokensOf({ server })).toBe(2);
    server.revoke();
    expect((await call(echo, { text: '3' })).text).toBe('3');
    expect(await tokensOf({ server })).toBe(3);
    expect(far.statuses()[0]).toMatchObject({ status: 'connected' });
  });

  it('takes what another process renewed', async () => {
    const { server, login, room } = await stage();
    await login();
    const [one, two] = [await room(), await room()];
    server.revoke();
    expect((await call(toolIn(one, 'mcp__far__echo'), { text: 'a' })).text).toBe('a');
    expect((await call(toolIn(two, 'mcp__far__echo'), { text: 'b' })).text).toBe('b');
    expect(await tokensOf({ server })).toBe(2);
  });

  it('needs authorization again once the login was revoked, and a new login is taken up', async () => {
    const { server, login, room, kept } = await stage();
    await login();
    const far = await room();
    server.revoke('refresh');
    const refused = await call(toolIn(far, 'mcp__far__echo'), { text: 'x' });
    expect(refused.output.isError).toBe(true);
    expect(refused.text).toContain('wants authorization');
    await until(() => far.statuses()[0]?.status === 'needs-auth');
    expect((await kept())?.text).not.toContain('refresh-');
    await login();
    await far.reconnect('far');
    expect((await call(toolIn(far, 'mcp__far__echo'), { text: 'y' })).text).toBe('y');
  });

  it('stays as it is when the authorization server cannot be asked', async () => {
    const { server, login, room, kept } = await stage();
    await login();
    const far = await room();
    server.revoke();
    const { intercept } = server;
    server.intercept = async (request, response) => {
      if (request.url !== '/token') return (await intercept?.(request, response)) === true;
      response.writeHead(503).end();
      return true;
    };
    const { output, text } = await call(toolIn(far, 'mcp__far__echo'), { text: 'x' });
    expect(output.isError).toBe(true);
    expect(text).toContain('could not be renewed');
    expect(text).toContain('The call was not made.');
    expect((await kept())?.text).toContain('refresh-');
    server.intercept = intercept;
    expect((await call(toolIn(far, 'mcp__far__echo'), { text: 'y' })).text).toBe('y');
  });

  it('a logout gives the token back and forgets it', async () => {
    const { server, login, room, kept, store, config, connect } = await stage();
    await login();
    const signal = new AbortController().signal;
    expect(await logOut({ serverUrl: config.url, store, connect, signal })).toBe(true);
    expect(await logOut({ serverUrl: config.url, store, connect, signal })).toBe(false);
    expect(await kept()).toBeUndefined();
    expect(server.asked['/revoke']).toBe(1);
    expect((await room()).statuses()[0]).toMatchObject({ status: 'needs-auth' });
  });

  it('a configured authorization is not replaced', async () => {
    const { server, login, store, config } = await stage();
    await login();
    await roomOf({ far: { ...config, headers: { Authorization: 'Bearer mine' } } }, { credentials: store });
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer mine');
  });

  it('what is no credential file counts as none', async () => {
    const { login, room, kept } = await stage();
    await login();
    await writeFile((await kept())?.file ?? '', '{"tokens":');
    expect((await room()).statuses()[0]).toMatchObject({ status: 'needs-auth' });
  });
});

describe('a login', () => {
  it('CVE-2025-66414, CVE-2025-49596 takes only the answer that carries its state, and under its own address', async () => {
    const { server, login } = await stage();
    const seen: number[] = [];
    await login({
      show: async (address) => {
        const back = new URL(address.searchParams.get('redirect_uri') ?? '');
        expect(back.hostname).toBe('127.0.0.1');
        seen.push((await fetch(`${back}?code=stolen&state=guessed`)).status);
        seen.push(
          (
            await fetch(`http://localhost:${back.port}/callback?code=x&state=y`).catch(() => ({
              status: 404,
            }))
          ).status,
        );
        seen.push((await server.approve(address)).status);
      },
    });
    expect(seen).toEqual([400, 404, 200]);
  });

  it('says what the authorization server refused', async () => {
    const { login, kept } = await stage();
    await expect(
      login({
        show: async (address) => {
          const { searchParams } = address;
          const answer = new URLSearchParams({
            state: searchParams.get('state') ?? '',
            error: 'access_denied',
            error_description: 'Not\u001b[31m you',
          });
          await fetch(`${searchParams.get('redirect_uri')}?${answer}`);
        },
      }),
    ).rejects.toThrow('The authorization server refused: access_denied: Not you.');
    expect(await kept()).toBeUndefined();
  });

  it.each([
    'file:///etc/passwd',
    'http://login.example/authorize',
    'ftp://login.example/$(id)',
    'javascript:alert(1)',
    'https:$(touch x)',
    'data:text/html,x',
  ])('CVE-2025-6514 T116 opens no login page at %s', async (loginPage) => {
    const { server, login } = await stage();
    server.loginPage = loginPage;
    const shown: URL[] = [];
    await expect(login({ show: (address) => void shown.push(address) })).rejects.toThrow(
      /no https address|[Ii]nvalid|URL/,
    );
    expect(shown).toEqual([]);
  });

  it('sends nothing secret over plain http', async () => {
    const { login } = await stage();
    await expect(login({ server: { type: 'http', url: 'http://tools.example/mcp' } })).rejects.toThrow(
      'is not reached over https',
    );
  });

  it('ends when it is given up', async () => {
    const { login } = await stage();
    const abort = new AbortController();
    await expect(
      login({ signal: abort.signal, show: () => abort.abort(new Error('Given up.')) }),
    ).rejects.toThrow('Given up.');
  });
});
