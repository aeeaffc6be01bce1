/**
 * The client scenarios of MCP's official conformance suite, through our public doors: each runs a conversation with
 * `query()`, and where the server wants a login, a person logs in with `mcpLogin()`.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type McpServerConfig, mcpLogin, query } from '@turnwright/engine';
import { reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../long-form.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const NODE = here('node_modules/node/bin/node');
const SUITE = here('node_modules/@modelcontextprotocol/conformance/dist/index.js');

interface Task {
  readonly scenario: string;
  readonly url: string;
  readonly context: Readonly<Record<string, string>>;
}

/** What the scenarios give a client to prove itself with. */
const OAUTH: Readonly<Record<string, (context: Task['context']) => object>> = {
  'auth/basic-cimd': () => ({ clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' }),
  'auth/pre-registration': ({ client_id, client_secret }) => ({
    clientId: client_id,
    clientSecret: client_secret,
  }),
  'auth/client-credentials-basic': ({ client_id, client_secret }) => ({
    grantType: 'client_credentials',
    clientId: client_id,
    clientSecret: client_secret,
  }),
  'auth/client-credentials-jwt': ({ client_id, private_key_pem }) => ({
    grantType: 'client_credentials',
    clientId: client_id,
    privateKey: private_key_pem,
  }),
  'auth/enterprise-managed-authorization': ({
    client_id,
    client_secret,
    idp_client_id,
    idp_id_token,
    idp_token_endpoint,
  }) => ({
    clientId: client_id,
    clientSecret: client_secret,
    identityProvider: {
      tokenEndpoint: idp_token_endpoint,
      clientId: idp_client_id,
      idToken: idp_id_token,
    },
  }),
};

interface ToolCall {
  readonly name: string;
  readonly arguments?: object;
}

/** What the model calls in a scenario, one tool in each turn. Default: the first tool. */
const CALLS: Readonly<Record<string, (context: Task['context']) => readonly ToolCall[]>> = {
  tools_call: () => [{ name: 'add_numbers', arguments: { a: 5, b: 3 } }],
  'sep-2322-client-request-state': () => [
    { name: 'test_mrtr_echo_state' },
    { name: 'test_mrtr_unrelated' },
    { name: 'test_mrtr_no_state' },
    { name: 'test_mrtr_no_result_type' },
  ],
  'http-custom-headers': ({ toolCalls }) => toolCalls as unknown as readonly ToolCall[],
};

/** Of a person who is patient, and not endlessly. */
const MAX_LOGINS = 2;

/** Calls the first tool of the server, and logs in when it is told to. */
async function play({ scenario, url, context }: Task): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'turnwright-conformance-'));
  let turn = 0;
  const model = await startRehearsal({
    scenario({ tools }) {
      const first = tools.find((name) => name.startsWith('mcp__it__'))?.slice('mcp__it__'.length);
      const calls = CALLS[scenario]?.(context) ?? (first === undefined ? [] : [{ name: first }]);
      const now = first === undefined ? undefined : calls[turn];
      turn += 1;
      return now === undefined
        ? reply('Done.')
        : reply(toolUse(`mcp__it__${now.name}`, { ...now.arguments }, `toolu_${turn}`));
    },
  });
  const oauth = OAUTH[scenario]?.(context);
  const options = {
    cwd: home,
    env: {
      PATH: process.env['PATH'],
      TURNWRIGHT_HOME: home,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'rehearsal',
      MCP_TIMEOUT: '120000',
    },
    mcpServers: {
      it: { type: 'http', url, alwaysLoad: true, ...(oauth && { oauth }) } satisfies McpServerConfig,
    },
    allowedTools: ['mcp__it'],
    persistSession: false,
    // A person who leaves every field as it is.
    onElicitation: async () => ({ action: 'accept' as const, content: {} }),
  };
  try {
    for (let logins = 0; ; logins += 1) {
      let wantsLogin = false;
      turn = 0;
      for await (const message of query({ prompt: 'Go.', options })) {
        if (message.type === 'system' && message.subtype === 'init')
          wantsLogin ||= message.mcp_servers.some(({ status }) => status === 'needs-auth');
        if (message.type === 'user') wantsLogin ||= JSON.stringify(message).includes('mcp login it');
      }
      if (!wantsLogin || logins === MAX_LOGINS) return;
      await mcpLogin('it', {
        ...options,
        show: async (address) => void (await fetch(address)),
      });
    }
  } finally {
    await model.close();
  }
}

const SCENARIOS = [
  'initialize',
  'tools_call',
  'elicitation-sep1034-client-defaults',
  'sse-retry',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
  'request-metadata',
  'auth/authorization-server-migration',
  'auth/iss-supported',
  'auth/iss-not-advertised',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
  'auth/enterprise-managed-authorization',
  'sep-2322-client-request-state',
  'http-standard-headers',
  'http-custom-headers',
  'http-invalid-tool-headers',
  'json-schema-ref-no-deref',
];

/** Where the client has to refuse. */
const REFUSALS: Readonly<Record<string, RegExp>> = {
  'auth/resource-mismatch': /does not match/,
  'auth/iss-supported-missing': /Issuer mismatch/,
  'auth/iss-wrong-issuer': /was answered by https:\/\/evil\.example\.com/,
  'auth/iss-unexpected': /was answered by https:\/\/evil\.example\.com/,
  'auth/iss-normalized': /was answered by/,
  'auth/metadata-issuer-mismatch': /Issuer mismatch/,
};

/** What is not supported: `docs/mcp.md` has the reasons. */
const UNSUPPORTED = [
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/wif-jwt-bearer',
  'json-schema-2020-12-preservation',
  'sep-2640-client-no-prefetch',
  'sep-2640-client-verify-digest',
  'sep-2640-client-verify-size',
  'sep-2640-client-verify-frontmatter',
];

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO';
  readonly description: string;
  readonly errorMessage?: string;
  readonly details?: { readonly tooEarly?: boolean };
}

/** What scenarios found, by their name. */
type Found = ReadonlyMap<string, readonly Check[]>;

/** Of the whole suite. */
let found: Found = new Map();
/** What our side threw. */
const thrown = new Map<string, string>();

/** The suite plays all at once. More than these would only be late, and servers are not waited for without end. */
const MOST_AT_ONCE = 4;
let playing = 0;
const waiting: (() => void)[] = [];

async function inTurn(work: () => Promise<void>): Promise<void> {
  if (playing >= MOST_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else playing += 1;
  try {
    await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) playing -= 1;
    else next();
  }
}

const door = createServer(async (incoming, response) => {
  let body = '';
  for await (const chunk of incoming) body += chunk;
  const task = JSON.parse(body) as Task;
  try {
    await inTurn(() => play(task));
    response.end();
  } catch (error) {
    thrown.set(task.scenario, String(error));
    response.writeHead(500).end(String(error));
  }
});

async function runSuite(...which: readonly string[]): Promise<Found> {
  const results = await mkdtemp(join(tmpdir(), 'turnwright-conformance-results-'));
  const path = `${join(process.execPath, '..')}:${process.env['PATH']}`;
  const env = { ...process.env, PATH: path, CLIENT_PORT: String((door.address() as AddressInfo).port) };
  const command = ['--command', 'node relay.mjs', '--timeout', '300000', '--output-dir', results];
  // It ends with 1 when a check failed, and what failed is read from its files.
  await promisify(execFile)(NODE, [SUITE, 'client', ...command, ...which], {
    cwd: here('.'),
    env,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { code?: unknown; stderr?: string }) => {
    if (error.code !== 1) throw error;
  });
  const all = new Map<string, readonly Check[]>();
  for (const file of await readdir(results, { recursive: true })) {
    const scenario = /^(.+)-\d{4}-\d\d-\d\dT[^/]+\/checks\.json$/.exec(file)?.[1];
    if (scenario !== undefined)
      all.set(scenario, JSON.parse(await readFile(join(results, file), 'utf8')) as Check[]);
  }
  return all;
}

/** A busy machine is late; too early would be a fault. */
const amissIn = (checks: readonly Check[]) =>
  checks.filter(
    ({ id, status, details }) =>
      (status === 'FAILURE' || status === 'WARNING') &&
      (id !== 'client-sse-retry-timing' || details?.tooEarly !== false),
  );

beforeAll(async () => {
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  found = await runSuite('--suite', 'all');
}, 300_000);

afterAll(() => new Promise((resolve) => door.close(resolve)));

describe('the client scenarios of the conformance suite', () => {
  it('are these', () => {
    expect([...found.keys()].sort()).toEqual([...SCENARIOS, ...UNSUPPORTED].sort());
  });

  it('that do not pass stand in the documentation', async () => {
    const page = await readFile(here('../../docs/mcp.md'), 'utf8');
    for (const scenario of UNSUPPORTED) {
      const name = scenario.replace(/^(sep-2640-client)-.+/, '$1-*');
      expect(page).toContain(`\`${name}\``);
      const checks = found.get(scenario) ?? [];
      const isPassed =
        checks.some(({ status }) => status === 'SUCCESS') &&
        !checks.some(({ status }) => status === 'FAILURE');
      expect([scenario, isPassed]).toEqual([scenario, false]);
    }
  });

  it.each(SCENARIOS)('%s', (scenario) => {
    const checks = found.get(scenario) ?? [];
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(0);
    expect(amissIn(checks)).toEqual([]);
    const refusal = REFUSALS[scenario];
    if (refusal === undefined) expect(thrown.get(scenario)).toBeUndefined();
    else expect(thrown.get(scenario)).toMatch(refusal);
  });
});

/** Revisions that the suite knows. */
const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

/** One after the other: a server that is late is asked in another way too, which these would mind. */
describe.runIf(isLong).each(REVISIONS)('as the suite plays revision %s', (revision) => {
  it('every scenario passes, but for those in the documentation', async () => {
    const { stdout } = await promisify(execFile)(NODE, [
      SUITE,
      'list',
      '--client',
      '--spec-version',
      revision,
    ]);
    const scenarios = [...stdout.matchAll(/^ +- (\S+) \[/gm)].map(([, name = '']) => name);
    expect(scenarios.length).toBeGreaterThan(0);
    const amiss: object[] = [];
    for (const scenario of scenarios.filter((name) => !UNSUPPORTED.includes(name))) {
      const played = await runSuite('--scenario', scenario, '--spec-version', revision);
      const checks = [...played.values()].flat();
      expect(checks.length, scenario).toBeGreaterThan(0);
      amiss.push(...amissIn(checks).map((check) => ({ scenario, ...check })));
    }
    expect(amiss).toEqual([]);
  }, 600_000);
});
