// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what hooks write in their settings
/** Commands and addresses as hooks: real processes, a real server. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { openConnections } from '@turnwright/base/http/connections.ts';
import { isAlive } from '@turnwright/test/scenarios/processes.ts';
import { sequentialIds } from '@turnwright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConfiguredHookPorts, configuredHook } from '../../src/hooks/configured-hooks.ts';
import { createHooks, type HooksOptions } from '../../src/hooks/hook-runner.ts';
import type { SystemBody } from '../../src/protocol/model/messages.ts';
import { type HookCall, type HookEvent, NO_HOOK_VERDICT } from '../../src/protocol/tools/hook.ts';
import {
  type ConfiguredHook,
  type HookConfig,
  OPEN_HOOK_POLICY,
} from '../../src/protocol/tools/hook-config.ts';

const CALLS = {
  PreToolUse: { event: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' },
  PostToolUse: {
    event: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_response: 'x',
    tool_use_id: 't1',
    duration_ms: 1,
  },
  UserPromptSubmit: { event: 'UserPromptSubmit', prompt: 'hi' },
  SessionStart: { event: 'SessionStart', source: 'startup' },
  Stop: { event: 'Stop', stop_hook_active: false },
} as const satisfies Partial<Record<HookEvent, HookCall>>;
type Called = keyof typeof CALLS;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnwright-hooks-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Setup {
  readonly ports?: Partial<ConfiguredHookPorts>;
  readonly options?: Partial<HooksOptions>;
  readonly hook?: Partial<ConfiguredHook>;
}

function hooksWith(event: Called, configs: readonly HookConfig[], { ports, options, hook }: Setup = {}) {
  const shown: SystemBody[] = [];
  const late: unknown[] = [];
  const all: ConfiguredHookPorts = {
    cwd: folder,
    projectRoot: folder,
    childEnv: { PATH: process.env['PATH'] ?? '' },
    env: {},
    policy: OPEN_HOOK_POLICY,
    connect: (baseUrl) => openConnections({ baseUrl }),
    clock: systemClock,
    callMcpTool: async () => ({ text: '', isError: false }),
    askJudge: async () => '{"ok": true}',
    ruleTest: () => async () => true,
    ...ports,
  };
  const hooks = createHooks({
    more: configs.map((config) =>
      configuredHook({ event, config, source: 'userSettings', place: 'test', ...hook }, all),
    ),
    base: () => ({ session_id: 's', transcript_path: '/t', cwd: folder }),
    clock: systemClock,
    ids: sequentialIds(),
    show: (body) => shown.push(body),
    late: { context: (...said) => late.push(said), wake: (text) => late.push(text) },
    ...options,
  });
  return {
    hooks,
    shown,
    late,
    told: () => shown.flatMap((body) => (body.subtype === 'informational' ? [body.content] : [])),
    run: (signal = new AbortController().signal) => hooks.run(CALLS[event], { signal, toolUseId: 't1' }),
  };
}

const command = (text: string, more: Partial<HookConfig> = {}) =>
  ({ type: 'command', command: text, ...more }) as HookConfig;

describe('a command', () => {
  it('gets the event on stdin and the project folder in its environment, and nothing that is not its own', async () => {
    const { run } = hooksWith('PreToolUse', [
      command('cat > seen.json; echo "$CLAUDE_PROJECT_DIR|$TURNWRIGHT_PROJECT_DIR|$HOME|$PWD" > env.txt'),
    ]);
    expect(await run()).toEqual(NO_HOOK_VERDICT);
    expect(JSON.parse(await readFile(join(folder, 'seen.json'), 'utf8'))).toEqual({
      session_id: 's',
      transcript_path: '/t',
      cwd: folder,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_use_id: 't1',
    });
    expect(await readFile(join(folder, 'env.txt'), 'utf8')).toBe(`${folder}|${folder}||${folder}\n`);
  });

  it('exit code 2 blocks with what is on stderr', async () => {
    const { run } = hooksWith('PreToolUse', [command('echo "not on Fridays" >&2; exit 2')]);
    expect(await run()).toMatchObject({ permission: 'deny', reason: 'not on Fridays' });
    const stop = hooksWith('Stop', [command('echo "run the tests" >&2; exit 2')]);
    expect(await stop.run()).toMatchObject({ blockingErrors: ['run the tests'] });
  });

  it('exit code 2 where nothing can be blocked is shown', async () => {
    const { run, told } = hooksWith('SessionStart', [command('echo broken >&2; exit 2')]);
    expect(await run()).toEqual(NO_HOOK_VERDICT);
    expect(told()).toEqual([expect.stringContaining('broken')]);
  });

  it('any other exit code is shown and blocks nothing', async () => {
    const { run, told } = hooksWith('PreToolUse', [command('echo oops >&2; exit 1')]);
    expect(await run()).toEqual(NO_HOOK_VERDICT);
    expect(told()).toEqual([expect.stringMatching(/^PreToolUse \[echo oops.*exit code 1: oops$/)]);
  });

  const DENY =
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"NOPE"}}';
  it.each([
    ['alone', DENY, 1, 'NOPE'],
    ['behind text', `checking\n${DENY}`, 1, 'NOPE'],
    ['as a decision', '{"decision":"block","reason":"NOPE"}', 3, 'NOPE'],
    ['that asks', DENY.replace('"deny"', '"ask"'), 125, 'NOPE'],
    ['before text, so that it cannot be read', `${DENY}\ndone`, 1, 'seems to refuse'],
    ['cut off', DENY.slice(0, -2), 1, 'seems to refuse'],
    ['in single quotes', DENY.replaceAll('"', '`').replaceAll('`', "'"), 2, ''],
  ])('a printed refusal %s holds, whatever the exit code', async (_how, text, code, reason) => {
    await writeFile(join(folder, 'said.txt'), text);
    const { run } = hooksWith('PreToolUse', [command(`cat said.txt; exit ${code}`)]);
    const verdict = await run();
    expect(verdict.permission).toBe(text.includes('"ask"') ? 'ask' : 'deny');
    expect(verdict.reason).toContain(reason);
  });

  it('what allows does not count with another exit code than 0', async () => {
    const { run } = hooksWith('PreToolUse', [command(`echo '${DENY.replace('deny', 'allow')}'; exit 1`)]);
    expect(await run()).toEqual(NO_HOOK_VERDICT);
  });

  it('JSON on stdout is an answer', async () => {
    const answer = {
      systemMessage: 'seen',
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: { command: 'ls -l' },
      },
    };
    await writeFile(join(folder, 'answer.json'), JSON.stringify(answer, null, 2));
    const { run, told } = hooksWith('PreToolUse', [command('cat answer.json')]);
    expect(await run()).toMatchObject({ permission: 'allow', updatedInput: { command: 'ls -l' } });
    expect(told()).toEqual(['PreToolUse:Bash says: seen']);
  });

  it.each(['SessionStart', 'UserPromptSubmit'] as const)('plain stdout of %s is context', async (event) => {
    const { run } = hooksWith(event, [command('echo "branch: main"')]);
    expect(await run()).toMatchObject({ additionalContext: ['branch: main'] });
  });

  it('plain stdout of other events is nothing, and long text is cut', async () => {
    expect(await hooksWith('PostToolUse', [command('echo fine')]).run()).toEqual(NO_HOOK_VERDICT);
    const { additionalContext } = await hooksWith('SessionStart', [
      command('head -c 300000 /dev/zero | tr "\\0" x'),
    ]).run();
    expect(additionalContext[0]?.length).toBeLessThan(11_000);
    expect(additionalContext[0]).toContain('characters left out');
  });

  it('with args is started without a shell, with the plugin folder in place', async () => {
    const { run } = hooksWith(
      'SessionStart',
      [command('node', { args: ['-e', 'console.log(process.argv[1])', '${CLAUDE_PLUGIN_ROOT}/$HOME'] })],
      { hook: { pluginRoot: '/plugins/one' } },
    );
    expect(await run()).toMatchObject({ additionalContext: ['/plugins/one/$HOME'] });
  });
});

describe('F91 a guard that does not get to an answer', () => {
  const broken: [string, HookConfig][] = [
    ['is missing', command('/nowhere/guard.sh')],
    ['is missing, without a shell', command('/nowhere/guard', { args: [] })],
    ['is killed', command('kill -9 $$')],
    ['prints junk', command('echo "{not json"')],
    [
      'prints what answers another event',
      command('echo \'{"hookSpecificOutput":{"hookEventName":"Stop"}}\''),
    ],
    ['is too late', command('sleep 30', { timeout: 0.2 })],
  ];

  it.each(broken)('that %s denies, and says so', async (_, config) => {
    const { run, told } = hooksWith('PreToolUse', [config]);
    expect(await run()).toMatchObject({
      permission: 'deny',
      reason: expect.stringContaining('failed and guards this'),
    });
    expect(told()).toHaveLength(1);
  });

  it.each(broken)('that %s lets through with onFailure continue, and says so', async (_, config) => {
    const { run, told } = hooksWith('PreToolUse', [{ ...config, onFailure: 'continue' }]);
    expect(await run()).toEqual(NO_HOOK_VERDICT);
    expect(told()).toHaveLength(1);
  });

  it('all processes that it started have ended when it is abandoned', async () => {
    const abort = new AbortController();
    const { run, hooks } = hooksWith('PreToolUse', [
      command('sh -c "echo \\$\\$ > child.pid; sleep 60" & wait'),
    ]);
    const running = run(abort.signal);
    await expect.poll(() => readFile(join(folder, 'child.pid'), 'utf8').catch(() => '')).toMatch(/\n/);
    abort.abort('user');
    expect(await running).toMatchObject({ permission: 'deny' });
    await hooks.close();
    const pid = Number(await readFile(join(folder, 'child.pid'), 'utf8'));
    expect(isAlive(pid)).toBe(false);
  });
});

describe('once, conditions, and hooks in the background', () => {
  it('once runs once', async () => {
    const { run } = hooksWith('SessionStart', [command('echo again', { once: true })]);
    expect((await run()).additionalContext).toEqual(['again']);
    expect(await run()).toEqual(NO_HOOK_VERDICT);
  });

  it('a condition that is not met runs nothing, one that cannot be decided runs the hook', async () => {
    const deny = command('exit 2', { if: 'Bash(git *)' });
    const no = hooksWith('PreToolUse', [deny], { ports: { ruleTest: () => async () => false } });
    expect(await no.run()).toEqual(NO_HOOK_VERDICT);
    const unsure = hooksWith('PreToolUse', [deny], {
      ports: {
        ruleTest: () => async () => {
          throw new Error('who knows');
        },
      },
    });
    expect(await unsure.run()).toMatchObject({ permission: 'deny' });
  });

  it('async: the event goes on; exit code 2 reaches the model with asyncRewake', async () => {
    const { run, hooks, late } = hooksWith('PostToolUse', [
      command('while [ ! -e go ]; do sleep 0.05; done; echo "lint failed" >&2; exit 2', {
        asyncRewake: true,
      }),
    ]);
    expect(await run()).toEqual(NO_HOOK_VERDICT);
    expect(late).toEqual([]);
    await writeFile(join(folder, 'go'), '');
    await expect.poll(() => late).toEqual([expect.stringContaining('lint failed')]);
    await hooks.close();
  });

  it('async as an answer: what it writes later is context', async () => {
    const { run, hooks, late } = hooksWith('PostToolUse', [
      command(
        'echo \'{"async": true}\'; while [ ! -e on ]; do sleep 0.05; done; echo \'{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"later"}}\'',
      ),
    ]);
    expect(await run()).toEqual(NO_HOOK_VERDICT);
    await writeFile(join(folder, 'on'), '');
    await expect.poll(() => late).toEqual([['PostToolUse', ['later']]]);
    await hooks.close();
  });

  it('what still runs ends with the session', async () => {
    const { run, hooks } = hooksWith('PostToolUse', [
      command('echo $$ > late.pid; sleep 60', { async: true }),
    ]);
    await run();
    await expect.poll(() => readFile(join(folder, 'late.pid'), 'utf8').catch(() => '')).toMatch(/\n/);
    await hooks.close();
    const pid = Number(await readFile(join(folder, 'late.pid'), 'utf8'));
    expect(isAlive(pid)).toBe(false);
  });
});

describe('what is shown of a run', () => {
  const of = (shown: readonly SystemBody[]) => shown.map(({ subtype }) => subtype);

  it('SessionStart always, with its output and exit code', async () => {
    const { run, shown } = hooksWith('SessionStart', [command('echo hello; echo warn >&2')]);
    await run();
    expect(shown).toMatchObject([
      { subtype: 'hook_started', hook_name: 'SessionStart:startup', hook_event: 'SessionStart' },
      { subtype: 'hook_response', stdout: 'hello\n', stderr: 'warn\n', exit_code: 0, outcome: 'success' },
    ]);
  });

  it('others when they are asked for', async () => {
    const quiet = hooksWith('PreToolUse', [command('exit 2')]);
    await quiet.run();
    expect(of(quiet.shown)).toEqual([]);
    const loud = hooksWith('PreToolUse', [command('exit 2')], { options: { showAll: true } });
    await loud.run();
    expect(loud.shown).toMatchObject([
      { subtype: 'hook_started', hook_name: 'PreToolUse:Bash' },
      { subtype: 'hook_response', exit_code: 2, outcome: 'error' },
    ]);
  });

  it('progress while it runs, a status message at its start', async () => {
    const { run, shown } = hooksWith('SessionStart', [
      command('echo one; sleep 1.3; echo two', { statusMessage: 'Warming up' }),
    ]);
    await run();
    expect(shown).toMatchObject([
      { subtype: 'notification', text: 'Warming up' },
      { subtype: 'hook_started' },
      { subtype: 'hook_progress', stdout: 'one\n' },
      { subtype: 'hook_response', stdout: 'one\ntwo\n' },
    ]);
  });
});

describe('an address', () => {
  let server: Server;
  let url: string;
  const seen: { headers: IncomingMessage['headers']; body: string; path: string }[] = [];
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      // A proxy is asked for the whole address.
      const path = (request.url ?? '').replace(/^https?:\/\/guards\.example/, '');
      seen.push({ headers: request.headers, body, path });
      if (path === '/moved') return void response.writeHead(302, { location: '/deny' }).end();
      if (path === '/broken') return void response.writeHead(500).end('no');
      if (path === '/silent') return;
      const answer = { decision: 'block', reason: 'The server says no.' };
      response.end(path === '/deny' ? JSON.stringify(answer) : path === '/junk' ? '{' : '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const http = (path: string, more: Partial<HookConfig> = {}) =>
    ({ type: 'http', url: `${url}${path}`, ...more }) as HookConfig;

  it('gets the event; its body is the answer; an empty one is no opinion', async () => {
    expect(await hooksWith('PreToolUse', [http('/deny')]).run()).toMatchObject({
      permission: 'deny',
      reason: 'The server says no.',
    });
    expect(JSON.parse(seen.at(-1)?.body ?? '')).toMatchObject({
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
    });
    expect(await hooksWith('PreToolUse', [http('/fine')]).run()).toEqual(NO_HOOK_VERDICT);
  });

  it('headers are made of variables that were named, and of those the policy leaves', async () => {
    const headers = { authorization: 'Bearer ${TOKEN}', 'x-other': '$OTHER-$UNNAMED!' };
    const env = { TOKEN: 'secret\r\nx-evil: 1', OTHER: 'o', UNNAMED: 'never' };
    const hook = http('/fine', { headers, allowedEnvVars: ['TOKEN', 'OTHER'] });
    await hooksWith('PreToolUse', [hook], { ports: { env } }).run();
    expect(seen.at(-1)?.headers).toMatchObject({ authorization: 'Bearer secretx-evil: 1', 'x-other': 'o-!' });
    const policy = { ...OPEN_HOOK_POLICY, httpAllowedEnvVars: ['OTHER'] };
    await hooksWith('PreToolUse', [hook], { ports: { env, policy } }).run();
    expect(seen.at(-1)?.headers).toMatchObject({ authorization: 'Bearer', 'x-other': 'o-!' });
  });

  it.each([
    ['redirects', '/moved', /redirect, which is not followed/],
    ['answers with an error', '/broken', /status 500/],
    ['answers junk', '/junk', /not JSON/],
    ['is silent', '/silent', /within 0.2 s/],
  ])('F91 one that %s denies', async (_, path, why) => {
    const before = seen.length;
    const { run, told } = hooksWith('PreToolUse', [http(path, { timeout: 0.2 })]);
    expect(await run()).toMatchObject({ permission: 'deny', reason: expect.stringMatching(why) });
    expect(told()).toHaveLength(1);
    expect(seen).toHaveLength(before + 1);
  });

  it('is reached through the proxy of the session, with the credentials in its address', async () => {
    const proxied = (baseUrl: URL) => openConnections({ baseUrl, proxyUrl: url });
    const hook = { type: 'http', url: 'http://guard:s%20ecret@guards.example/deny' } as const;
    const ports = { connect: proxied };
    expect(await hooksWith('PreToolUse', [hook], { ports }).run()).toMatchObject({
      permission: 'deny',
      reason: 'The server says no.',
    });
    expect(seen.at(-1)).toMatchObject({
      path: '/deny',
      headers: {
        host: 'guards.example',
        authorization: `Basic ${Buffer.from('guard:s ecret').toString('base64')}`,
      },
    });
  });

  it('F91 one that is not there denies', async () => {
    const hook = { type: 'http', url: 'http://127.0.0.1:1/' } as const;
    expect(await hooksWith('PreToolUse', [hook]).run()).toMatchObject({
      permission: 'deny',
      reason: expect.stringContaining('could not be reached'),
    });
  });

  it.each([
    [['http://127.0.0.1:*/fine'], true],
    [['http://127.0.0.1:*'], true],
    [['https://*'], false],
    [['http://*.example.com/*'], false],
    [[], false],
  ])('allowedHttpHookUrls %j', async (allowedHttpUrls, asked) => {
    const before = seen.length;
    const policy = { ...OPEN_HOOK_POLICY, allowedHttpUrls };
    const verdict = await hooksWith('PreToolUse', [http('/fine')], { ports: { policy } }).run();
    expect(seen.length > before).toBe(asked);
    expect(verdict.permission).toBe(asked ? undefined : 'deny');
  });
});

describe('a tool of an MCP server', () => {
  const tool = { type: 'mcp_tool', server: 'lint', tool: 'check' } as const;

  it('is called with fields of the event, and its text is read like a command’s output', async () => {
    const calls: unknown[] = [];
    const { run } = hooksWith(
      'PreToolUse',
      [
        {
          ...tool,
          input: { command: '${tool_input.command}', note: 'of ${tool_name}', all: '${tool_input}' },
        },
      ],
      {
        ports: {
          callMcpTool: async (...call) => {
            calls.push(call.slice(0, 3));
            return { text: '{"decision": "block", "reason": "lint"}', isError: false };
          },
        },
      },
    );
    expect(await run()).toMatchObject({ permission: 'deny', reason: 'lint' });
    expect(calls).toEqual([['lint', 'check', { command: 'ls', note: 'of Bash', all: { command: 'ls' } }]]);
  });

  it('F91 one that fails denies', async () => {
    const callMcpTool = async () => ({ text: 'down', isError: true });
    expect(await hooksWith('PreToolUse', [tool], { ports: { callMcpTool } }).run()).toMatchObject({
      permission: 'deny',
      reason: expect.stringContaining('down'),
    });
  });
});

it('what is registered can be listed', async () => {
  const { hooks } = hooksWith('PreToolUse', [
    command('guard.sh\u001b[31m', { statusMessage: 'Guarding', timeout: 5, if: 'Bash(rm *)', once: true }),
  ]);
  const listing = await hooks.listing();
  expect(listing).toMatchObject({
    events: [{ name: 'PreToolUse', supportsMatcher: true, hookCount: 1 }],
    hooks: [
      {
        event: 'PreToolUse',
        matcher: '',
        source: 'userSettings',
        type: 'command',
        displayText: 'Guarding',
        commandText: 'guard.sh\\u001b[31m',
        contentLabel: 'Command',
        condition: 'Bash(rm *)',
        timeout: 5,
        runsOnce: true,
      },
    ],
    policy: { allDisabled: false },
  });
  expect(listing.eventCatalog).toHaveLength(34);
});
