/**
 * Secrets of every origin in one session, whose commands, servers and hooks look for them and whose
 * connections fail. Each canary may be found only where it was put, and with whom it was given to.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { against, bareEnv, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { lacking } from '@turnwright/test/sandbox/support.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, onTestFinished, test } from 'vitest';

const LIBRARY = new URL('../../../dist/index.js', import.meta.url).href;

/** By their names. */
const SECRET_VARIABLES =
  'ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_SESSION_ACCESS_TOKEN ANTHROPIC_IDENTITY_TOKEN AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_BEARER_TOKEN_BEDROCK AZURE_CLIENT_SECRET GOOGLE_APPLICATION_CREDENTIALS GITHUB_TOKEN GH_TOKEN GITLAB_TOKEN NPM_TOKEN OPENAI_API_KEY DB_PASSWORD PGPASSWORD PGPASSFILE SECRET_KEY_BASE STRIPE_KEY VAULT_AUTH CI_JOB_TOKEN SENTRY_AUTH_TOKEN SSH_PASSPHRASE COOKIE_SECRET MY_CREDENTIALS lower_case_token'.split(
    ' ',
  );

/** Whatever a program can find out about itself, about what started it and about every other process of the user. */
const LOOK_AROUND = [
  'env',
  'ps axeww',
  'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n"',
  // A process that has ended has no files any more, and the shell would exit with 2: that blocks a hook's prompt.
  'true',
].join('; ');

function canaries() {
  const kept = new Map<string, string>();
  return {
    kept,
    /** `value` with the canary in the place of `%`. */
    put(where: string, value = '%'): string {
      const canary = `canary${String(kept.size).padStart(2, '0')}${Math.random().toString(36).slice(2, 14)}`;
      kept.set(where, canary);
      return value.replace('%', canary);
    },
    /** Where the canaries came from that are in the text. */
    in(text: string): readonly string[] {
      return [...kept].flatMap(([where, canary]) => (text.includes(canary) ? [where] : []));
    },
  };
}

/** Repeats the credentials that it was sent, as some gateways do. */
async function talkativeServer(): Promise<string> {
  const server = createServer(({ headers }, response) => {
    response.writeHead(401, { 'content-type': 'application/json' });
    const message = `Incorrect key: ${headers['x-api-key']}, ${headers.authorization}`;
    response.end(JSON.stringify({ error: { type: 'authentication_error', message } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Every byte under the folders. */
const written = (...folders: readonly string[]): string =>
  spawnSync('grep', ['-rah', '', ...folders], { encoding: 'latin1', maxBuffer: 1e9 }).stdout;

test.skipIf(process.platform !== 'linux')(
  'over fifty canaries: none is found by a command, a server or a hook that was not given it, and none is written or shown',
  async () => {
    const { put, kept, in: found } = canaries();
    const talkative = await talkativeServer();
    const home = temporaryFolder();
    const config = join(home, 'config');
    const cwd = temporaryFolder();
    const seen = temporaryFolder();
    const looking = (name: string) => `sh -c '(${LOOK_AROUND}) >${seen}/${name} 2>/dev/null'`;
    const server = (name: string, env = {}) => ({
      command: 'sh',
      args: ['-c', `(${LOOK_AROUND}) >${seen}/${name} 2>/dev/null`],
      env,
    });
    const remote = (type: string, where: string, host = '127.0.0.1:9') => ({
      type,
      url: `http://user:${put(`${where}: password in the address`)}@${host}/mcp?token=${put(`${where}: query`)}`,
      headers: {
        Authorization: `Bearer ${put(`${where}: bearer`)}`,
        'X-Api-Key': put(`${where}: key`),
      },
    });
    const mcp = {
      mcpServers: {
        given: server('given', { OTHER_TOKEN: put('given to one server') }),
        curious: server('curious'),
        far: remote('http', 'far'),
        farther: remote('sse', 'farther'),
        talkative: remote('http', 'talkative', talkative),
      },
    };
    const hook = (where: string, host: string) => ({
      type: 'http',
      url: `http://user:${put(`${where}: password in the address`)}@${host}/hook?token=${put(`${where}: query`)}`,
      headers: { 'X-Hook-Key': put(`${where}: header`) },
    });
    const settings = {
      hooks: {
        PostToolUse: [{ hooks: [hook('unreached hook', '127.0.0.1:9'), hook('talkative hook', talkative)] }],
        UserPromptSubmit: [{ hooks: [{ type: 'command', command: looking('hook') }] }],
      },
    };
    mkdirSync(join(config, 'projects'), { recursive: true });
    for (const name of ['.netrc', '.npmrc', 'id_rsa', '.git-credentials', '.pypirc'])
      writeFileSync(join(home, name), put(`file ${name}`));
    const environment = {
      HOME: home,
      TURNWRIGHT_HOME: config,
      ANTHROPIC_CUSTOM_HEADERS: put('custom header', 'X-Gateway-Key: %'),
      ...Object.fromEntries(SECRET_VARIABLES.map((name) => [name, put(name)])),
      NO_PROXY: '127.0.0.1',
      HTTPS_PROXY: put('HTTPS_PROXY', 'http://user:%@127.0.0.1:9'),
      DATABASE_URL: put('DATABASE_URL', 'postgres://user:%@localhost/db'),
      REDIS: put('REDIS', 'redis://:%@localhost'),
      BUILD_ACCESS: put('BUILD_ACCESS', 'sk-ant-api03-%'),
      RELEASE: put('RELEASE', 'ghp_%abcdefgh'),
      SIGNING: put('SIGNING', '-----BEGIN PRIVATE KEY-----\n%\n-----END PRIVATE KEY-----'),
    };
    const args = [
      ...['-p', 'go', '--dangerously-skip-permissions', '--output-format', 'stream-json', '--verbose'],
      ...['--mcp-config', JSON.stringify(mcp), `--settings=${JSON.stringify(settings)}`],
      ...['--debug-file', join(cwd, 'debug.log')],
    ];

    const model = await rehearse(reply(toolUse('Bash', { command: looking('command') })), reply('Done.'));
    const apiKey = put('ANTHROPIC_API_KEY');
    const env = { ...environment, ...against(model), ANTHROPIC_API_KEY: apiKey };
    const ran = await turnwright(args, { cwd, env });
    expect(ran.code).toBe(0);
    const refused = await turnwright(args, {
      cwd,
      env: { ...env, ANTHROPIC_BASE_URL: `http://${talkative}` },
    });
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('Incorrect key: [masked]');
    const others = await Promise.all(
      [
        ['doctor'],
        ['mcp', 'list', '--mcp-config', JSON.stringify(mcp)],
        ['sessions'],
        ['auth', 'status'],
      ].map((words) => turnwright(words, { cwd, env })),
    );

    expect(kept.size).toBeGreaterThanOrEqual(50);
    for (const name of ['command', 'hook', 'curious']) {
      expect(readdirSync(seen), ran.stdout + ran.stderr).toContain(name);
      const text = readFileSync(join(seen, name), 'latin1');
      expect(text).toContain('PATH=');
      // What one server was given is in that process's own environment: only a sandbox hides processes from each other.
      const unexpected = found(text).filter((where) => where !== 'given to one server');
      expect({ name, unexpected }).toEqual({ name, unexpected: [] });
    }
    expect(found(readFileSync(join(seen, 'given'), 'latin1'))).toEqual(['given to one server']);
    expect(found([ran, refused, ...others].map(({ stdout, stderr }) => stdout + stderr).join('\n'))).toEqual(
      [],
    );
    expect(found(written(config, cwd))).toEqual([]);
    expect(found(JSON.stringify(model.requests.map(({ body }) => body)))).toEqual([]);
    console.log(`${kept.size} canaries, 0 found where they were not put`);
  },
);

/** What is asked of it, and with which headers. */
async function listeningServer(): Promise<{ readonly url: string; readonly headers: string[] }> {
  const headers: string[] = [];
  const server = createServer((request, response) => {
    headers.push(JSON.stringify(request.headers));
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, headers };
}

const WAYS: readonly (readonly [string, boolean])[] = [
  ['as any program does', false],
  ...(lacking === undefined ? [['in the sandbox', true] as const] : []),
];

test.skipIf(process.platform !== 'linux').each(WAYS)(
  'a server gets what its configuration asks for by name, and nothing else: %s',
  async (_, isolated) => {
    const { put, kept, in: found } = canaries();
    const home = temporaryFolder();
    const cwd = temporaryFolder();
    const seen = temporaryFolder();
    const far = await listeningServer();
    const files = [
      '.netrc',
      '.npmrc',
      '.git-credentials',
      '.ssh/id_rsa',
      '.aws/credentials',
      '.config/gh/hosts.yml',
    ];
    const look = isolated ? `${LOOK_AROUND}; cd; cat ${files.join(' ')}; grep -ra canary .` : LOOK_AROUND;
    const server = (name: string, env = {}) => ({
      command: 'sh',
      args: ['-c', `(${look}) >${seen}/${name} 2>/dev/null; cat >/dev/null`],
      env,
    });
    const mcp = {
      mcpServers: {
        named: server('named', { OTHER_NAME: `\${GITHUB_TOKEN}`, ADDRESS: `x-\${NPM_TOKEN:-none}-y` }),
        curious: server('curious'),
        far: { type: 'http', url: far.url, headers: { 'X-Key': `Bearer \${GITLAB_TOKEN}` } },
      },
    };
    for (const file of files) {
      mkdirSync(dirname(join(home, file)), { recursive: true });
      writeFileSync(join(home, file), put(`file ${file}`));
    }
    const config = join(home, 'config');
    mkdirSync(config);
    writeFileSync(join(config, '.credentials.json'), JSON.stringify({ key: put('our own credentials') }));
    const settings = { sandbox: { enabled: isolated, mcpServers: true, filesystem: { allowWrite: [seen] } } };
    const model = await rehearse(reply('Done.'));
    const ran = await turnwright(
      [
        ...['-p', 'go', '--mcp-config', JSON.stringify(mcp), `--settings=${JSON.stringify(settings)}`],
        ...(isolated ? ['--add-dir', home] : []),
      ],
      {
        cwd,
        env: {
          HOME: home,
          TURNWRIGHT_HOME: config,
          MCP_TIMEOUT: '3000',
          ...Object.fromEntries(SECRET_VARIABLES.map((name) => [name, put(name)])),
          ...against(model),
          ANTHROPIC_API_KEY: put('ANTHROPIC_API_KEY'),
        },
      },
    );
    expect(ran.code).toBe(0);
    const read = (name: string) => readFileSync(join(seen, name), 'latin1');
    expect(found(read('named'))).toEqual(['GITHUB_TOKEN', 'NPM_TOKEN']);
    expect(read('named')).toMatch(/^ADDRESS=x-canary\w+-y$/m);
    const ofTheOther = isolated ? [] : ['GITHUB_TOKEN', 'NPM_TOKEN'];
    // Other processes of the user can be seen, as long as they run, by all that is not in the sandbox.
    expect(found(read('curious')).filter((where) => !ofTheOther.includes(where))).toEqual([]);
    expect(found(far.headers.join())).toEqual(['GITLAB_TOKEN']);
    expect(kept.size).toBeGreaterThan(30);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a program that embeds the library keeps its environment, and commands find no key in it',
  async () => {
    const model = await rehearse(
      reply(toolUse('Bash', { command: 'tr "\\0" "\\n" </proc/$PPID/environ' })),
      reply('Done.'),
    );
    const program = `
      import { query } from ${JSON.stringify(LIBRARY)};
      const cwd = ${JSON.stringify(temporaryFolder())};
      const shown = [];
      for await (const message of query({ prompt: 'go', options: { cwd, permissionMode: 'bypassPermissions' } }))
        shown.push(JSON.stringify(message));
      console.log(JSON.stringify({ key: process.env.ANTHROPIC_API_KEY, plain: process.env.PLAIN, shown: shown.join('') }));`;
    const env = bareEnv({ ...against(model), ANTHROPIC_API_KEY: 'canary-of-the-host', PLAIN: 'plain' });
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { env });
    const { key, plain, shown } = JSON.parse((await child.stdout.toArray()).join(''));
    expect({ key, plain }).toEqual({ key: 'canary-of-the-host', plain: 'plain' });
    expect(shown).toContain('PLAIN=plain');
    expect(shown).not.toContain('canary-of-the-host');
  },
);
