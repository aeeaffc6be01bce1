import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from '@turnwright/engine';
import { temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { type Host, type Line, nameOf, startHost } from '@turnwright/test/cli/control-host.ts';
import { until } from '@turnwright/test/scenarios/processes.ts';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UnreadableLine } from '../src/control/control-session.ts';
import { readStreamLines } from '../src/control/json-lines.ts';

let server: RehearsalServer;
beforeEach(async () => {
  server = await startRehearsal();
});
afterEach(() => server.close());

const play = (...replies: ReturnType<typeof reply>[]) => server.setScenario({ name: 'control', replies });
const sent = () => JSON.stringify(server.requests.at(-1)?.body);
const isResult = (line: Line) => line.type === 'result';
const touch = toolUse('Bash', { command: 'touch x', description: 'make x' });
const payload = (response: Readonly<Record<string, unknown>>) => response['response'] as never;

const envOf = (more: object) => ({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', ...more });

async function oneTurn(host: Host, text = 'Go.') {
  host.prompt(text);
  const result = await host.until(isResult);
  host.end();
  return { result, code: await host.ended };
}

describe('the lines', () => {
  it('nothing was sent: exit 0, no output', async () => {
    const host = startHost(server);
    host.end();
    expect(await host.ended).toBe(0);
    expect(host.lines).toEqual([]);
  });

  const READS = { CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' };
  const EMIT = { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1' };
  it.each([
    { asked: {}, marked: undefined },
    { asked: READS, marked: true },
    { asked: EMIT, marked: false },
    { asked: { ...READS, ...EMIT }, marked: false },
  ])('the state of the session is emitted to hosts that ask for it: $asked', async ({ asked, marked }) => {
    play(reply('Hi.'), reply('Hi.'));
    const host = startHost(server, { options: { env: envOf(asked) } });
    for (const uuid of ['one', 'two']) {
      host.prompt('Go.', { uuid });
      await host.until(
        (line) =>
          line.type === 'command_lifecycle' && line['state'] === 'completed' && line['command_uuid'] === uuid,
      );
    }
    host.end();
    expect(await host.ended).toBe(0);
    const turn = ['queued', 'started', 'system/init', 'assistant', 'result/success', 'completed'];
    const withStates = marked === undefined ? turn : ['running', ...turn, 'idle'];
    expect(host.lines.map((line) => line['state'] ?? nameOf(line))).toEqual([...withStates, ...withStates]);
    const states = host.lines.filter(({ subtype }) => subtype === 'session_state_changed');
    const { session_id } = host.lines.find(isResult) as Line;
    for (const state of states) expect(state).toMatchObject({ session_id, uuid: expect.any(String) });
    for (const state of states) expect(state['sdk_host_only']).toBe(marked === true ? true : undefined);
  });

  it('a turn that fails before it begins: its result is followed by idle', async () => {
    play(reply('Hi.'));
    const home = temporaryFolder();
    const sessionId = randomUUID();
    const options = { env: envOf({ ...EMIT, TURNWRIGHT_HOME: home }), sessionId, cwd: home };
    await oneTurn(startHost(server, { options }));
    const host = startHost(server, { options });
    host.prompt('Go.');
    expect(await host.until(isResult)).toMatchObject({ errors: [expect.stringContaining('already')] });
    host.end();
    expect(await host.ended).toBe(1);
    expect(host.lines.map((line) => line['state'] ?? nameOf(line))).toEqual([
      'running',
      'result/error_during_execution',
      'idle',
    ]);
  });

  it('stdin closed in mid-turn: the turn is finished', async () => {
    play(reply('x'.repeat(500), { timing: { gapMs: 20 } }));
    const host = startHost(server);
    host.prompt('Go.');
    host.end();
    expect(await host.ended).toBe(0);
    expect(host.lines.filter(isResult)).toHaveLength(1);
  });

  it('an error result is exit 1', async () => {
    play(reply('', { faults: [{ name: 'http-status', status: 400 }] }));
    const { result, code } = await oneTurn(startHost(server));
    expect(result).toMatchObject({ subtype: 'success', is_error: true });
    expect(code).toBe(1);
  });

  it.each(['not json', '[]', '{"no":"type"}', '{"type":"user"}', '{"type":"control_request"}'])(
    'a line that is no message ends it: %s',
    async (line) => {
      const host = startHost(server);
      host.stdin.write(`${line}\n`);
      await expect(host.ended).rejects.toThrow(UnreadableLine);
    },
  );

  it('blank lines, signs of life and unknown types are passed over', async () => {
    play(reply('Hi.'));
    const host = startHost(server);
    host.stdin.write('\n\r\n');
    host.say({ type: 'keep_alive' });
    host.say({ type: 'something_new', x: 1 });
    expect((await oneTurn(host)).code).toBe(0);
  });

  it('a session that cannot start is an error result and exit 1', async () => {
    const host = startHost(server, { options: { settings: '{"permissions": 7}' } });
    const response = host.ask('initialize');
    const { result, code } = await oneTurn(host);
    expect(await response).toMatchObject({ subtype: 'error', error: expect.stringContaining('permissions') });
    expect(result).toMatchObject({ subtype: 'error_during_execution', errors: [expect.any(String)] });
    expect(code).toBe(1);
  });

  it('lines are cut at newlines alone, wherever the pieces end', async () => {
    const text = '{"a":"\u2028\u0085 🦉 é"}\r\n\n{"b":1}\nlast';
    const bytes = Buffer.from(text);
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const pieces = (async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      })();
      const lines: string[] = [];
      for await (const line of readStreamLines(pieces)) lines.push(line);
      expect(lines).toEqual(['{"a":"\u2028\u0085 🦉 é"}', '{"b":1}', 'last']);
    }
  });
});

describe('requests of the host', () => {
  it('initialize is answered in full before any prompt', async () => {
    const host = startHost(server);
    const response = await host.ask('initialize', {
      hooks: { Stop: [{ hookCallbackIds: ['hook_0'] }] },
      sdkMcpServers: ['k'],
      sdkMcpServerManifests: { k: { initializeResult: {}, toolsListResult: { tools: [] } }, other: {} },
      systemPrompt: [''],
    });
    expect(payload(response)).toMatchObject({
      commands: expect.arrayContaining([expect.objectContaining({ name: 'compact' })]),
      agents: [{ name: 'general-purpose' }, { name: 'Explore' }, { name: 'Plan' }],
      models: expect.arrayContaining([expect.objectContaining({ value: 'default' })]),
      account: { apiKeySource: 'ANTHROPIC_API_KEY' },
      output_style: 'default',
      available_output_styles: ['default', 'Proactive', 'Concise', 'Explanatory', 'Learning'],
      pid: process.pid,
      claude_code_version: expect.stringMatching(/^2\./),
      current_permission_mode: 'default',
      fast_mode_state: 'off',
      fast_mode_disabled_reason: 'sdk_opt_in_required',
      hooks_applied: true,
      sdk_mcp_manifests_parked: { k: 'parked' },
    });
    expect(response).toMatchObject({ pending_permission_requests: [], pending_user_dialog_requests: [] });
    host.end();
    expect(await host.ended).toBe(0);
  });

  it('initialize is answered before anything that a prompt sent right behind it brings about', async () => {
    play(reply('Hi.'));
    const env = envOf({ CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1' });
    const host = startHost(server, { options: { env } });
    const answered = host.ask('initialize');
    host.prompt('Go.');
    await answered;
    host.end();
    expect(await host.ended).toBe(0);
    expect(host.lines.map(nameOf).slice(0, 3)).toEqual([
      'control_response',
      'system/session_state_changed',
      'system/init',
    ]);
  });

  it('a second initialize answers and changes nothing', async () => {
    const host = startHost(server);
    await host.ask('initialize');
    const again = await host.ask('initialize', { hooks: { Stop: [{ hookCallbackIds: ['h'] }] } });
    expect(payload(again)).toMatchObject({ hooks_applied: false });
    host.end();
    await host.ended;
  });

  it('an unknown request is refused immediately, and starts no session', async () => {
    const host = startHost(server);
    expect(await host.ask('levitate', { height: 3 })).toMatchObject({
      subtype: 'error',
      error: 'Unsupported control request subtype: levitate',
      error_code: 'unsupported_request',
    });
    host.end();
    expect(await host.ended).toBe(0);
    expect(host.lines).toHaveLength(1);
  });

  it('set_model, set_permission_mode, set_max_thinking_tokens, mcp_status and the rest have their payloads', async () => {
    const host = startHost(server);
    await host.ask('initialize');
    expect(payload(await host.ask('set_model', { model: 'haiku' }))).toEqual({ model: 'claude-haiku-5-5' });
    expect(payload(await host.ask('set_model'))).toEqual({ model: 'claude-opus-5-5' });
    expect(payload(await host.ask('set_permission_mode', { mode: 'manual' }))).toEqual({ mode: 'default' });
    expect(await host.ask('set_permission_mode', { mode: 'auto' })).toMatchObject({
      subtype: 'error',
      error: expect.stringMatching(/^The permission mode auto needs a judge/),
      error_code: 'invalid_mode',
    });
    expect(await host.ask('set_permission_mode', { mode: 'bypassPermissions' })).toMatchObject({
      subtype: 'error',
      error_code: 'bypass_not_launched',
    });
    const thinking = await host.ask('set_max_thinking_tokens', { max_thinking_tokens: 4_000 });
    expect(thinking).toMatchObject({ subtype: 'success' });
    expect(thinking).not.toHaveProperty('response');
    expect(payload(await host.ask('mcp_status'))).toEqual({ mcpServers: [] });
    expect(payload(await host.ask('interrupt'))).toEqual({ still_queued: [] });
    expect(payload(await host.ask('get_context_usage'))).toMatchObject({
      categories: expect.any(Array),
      rawMaxTokens: expect.any(Number),
    });
    expect(payload(await host.ask('get_binary_version'))).toEqual({ version: expect.any(String) });
    expect(payload(await host.ask('list_models'))).toMatchObject({ models: expect.any(Array) });
    host.end();
    expect(await host.ended).toBe(0);
  });

  it('get_task_output gives the end of what a task has written', async () => {
    const command = 'seq 1 5000; echo the end; touch written; exec sleep 60';
    play(reply(toolUse('Bash', { command, run_in_background: true })), reply('It runs.'));
    const cwd = temporaryFolder();
    const host = startHost(server, {
      options: { cwd, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
    });
    host.prompt('Go.');
    const started = await host.until((line) => nameOf(line) === 'system/task_started');
    const task_id = started['task_id'];
    await host.until(isResult);
    await until(() => existsSync(join(cwd, 'written')));
    let output = { output: '' };
    // What was written last may still be on its way through the pipe.
    while (!output.output.endsWith('the end\n'))
      output = payload(await host.ask('get_task_output', { task_id })) as typeof output;
    expect(output).toMatchObject({ total_bytes: 23_901, truncated: true });
    expect(output.output).toHaveLength(8_192);
    expect(output.output).toMatch(/5000\nthe end\n$/);
    expect(await host.ask('get_task_output', { task_id: 'nope' })).toMatchObject({ subtype: 'error' });
    expect(payload(await host.ask('stop_task', { task_id }))).toEqual({});
    host.end();
    expect(await host.ended).toBe(0);
  });

  it('an interrupt names the prompts that will still run', async () => {
    server.setScenario(({ lastMessage }) =>
      lastMessage.includes('Then this.')
        ? reply('Second.')
        : reply('x'.repeat(1_000), { timing: { gapMs: 50 } }),
    );
    const host = startHost(server);
    const uuid = '11111111-1111-4111-8111-111111111111';
    host.prompt('Go.');
    await host.until((line) => nameOf(line) === 'system/init');
    host.prompt('Then this.', { uuid, priority: 'later' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(payload(await host.ask('interrupt'))).toEqual({ still_queued: [uuid] });
    await host.until((line) => isResult(line) && line['result'] === 'Second.');
    host.end();
    expect(await host.ended).toBe(0);
  });
});

describe('requests to the host', () => {
  it('can_use_tool says what is asked; the session requires action meanwhile', async () => {
    play(reply(touch), reply('Done.'));
    const host = startHost(server, {
      options: { env: envOf({ CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1' }) },
      asksHost: true,
      onRequest: ({ input, tool_use_id }) => ({
        behavior: 'allow',
        updatedInput: input,
        toolUseID: tool_use_id,
      }),
    });
    const { result } = await oneTurn(host);
    expect(result).toMatchObject({ permission_denials: [] });
    const asked = host.lines.find(({ type }) => type === 'control_request');
    expect(asked?.['request']).toMatchObject({
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      display_name: 'Bash',
      input: { command: 'touch x' },
      description: 'make x',
      tool_use_id: expect.stringMatching(/^toolu_/),
      permission_suggestions: expect.any(Array),
    });
    const states = host.lines.flatMap(({ state }) => (state === undefined ? [] : [state]));
    expect(states).toEqual(['running', 'requires_action', 'running', 'idle']);
  });

  const APPROVED = { command: 'touch approved' };
  it.each([
    ['nothing else', {}],
    ['a rule that denies it', { settings: { permissions: { deny: ['Bash(touch approved)'] } } }],
    [
      'a hook that denies it',
      {
        hooks: {
          PreToolUse: [
            {
              hooks: [
                async ({ tool_input }: { tool_input?: unknown }) =>
                  JSON.stringify(tool_input).includes('approved') ? { decision: 'block', reason: 'No.' } : {},
              ],
            },
          ],
        },
      },
    ],
  ])('an approved input runs in place of what was asked, against %s', async (against, options) => {
    play(reply(touch), reply('Done.'));
    const cwd = temporaryFolder();
    const host = startHost(server, {
      options: { cwd, ...options } as Options,
      asksHost: true,
      onRequest: ({ tool_use_id }) => ({ behavior: 'allow', updatedInput: APPROVED, toolUseID: tool_use_id }),
    });
    await oneTurn(host);
    const ran = ['x', 'approved'].filter((name) => existsSync(join(cwd, name)));
    expect(ran).toEqual(against === 'a rule that denies it' ? [] : ['approved']);
  });

  it('an open question is explained on demand, and no other', async () => {
    play(reply(touch), reply('Done.'));
    const host = startHost(server, { asksHost: true });
    host.prompt('Go.');
    const asked = await host.until(({ type }) => type === 'control_request');
    const { request_id, request } = asked as unknown as {
      readonly request_id: string;
      readonly request: { readonly tool_use_id: string };
    };
    const { tool_use_id } = request;
    expect(request).not.toHaveProperty('explanation');
    expect((await host.ask('explain_permission', { tool_use_id }))['response']).toMatchObject({
      asker: [],
      segments: [{ text: 'touch x', verdict: 'open' }],
      offers: [{ rule: 'Bash(touch x)', misses: 'touch x other' }, {}, {}],
    });
    const checked = await host.ask('explain_permission', { tool_use_id, rule: 'Bash(touch:*)' });
    expect(checked['response']).toMatchObject({ ok: true, applies: true });
    expect(await host.ask('explain_permission', { tool_use_id: 'toolu_none' })).toMatchObject({
      subtype: 'error',
      error: 'No permission question about toolu_none is open.',
    });
    const response = { subtype: 'success', request_id, response: { behavior: 'allow', updatedInput: {} } };
    host.say({ type: 'control_response', response });
    await host.until(isResult);
    expect(await host.ask('explain_permission', { tool_use_id })).toMatchObject({ subtype: 'error' });
    host.end();
    await host.ended;
  });

  it('without --permission-prompt-tool stdio the host is not asked', async () => {
    play(reply(touch), reply('Well.'));
    const host = startHost(server);
    const { result } = await oneTurn(host);
    expect(host.lines.some(({ type }) => type === 'control_request')).toBe(false);
    expect(result).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
  });

  it('an interrupt withdraws a question by control_cancel_request; a late answer is passed over', async () => {
    play(reply(touch));
    const host = startHost(server, { asksHost: true });
    host.prompt('Go.');
    const asked = await host.until(({ type }) => type === 'control_request');
    await host.ask('interrupt');
    await host.until(isResult);
    const { request_id } = asked;
    expect(host.lines).toContainEqual({ type: 'control_cancel_request', request_id });
    const response = { subtype: 'success', request_id, response: { behavior: 'allow' } };
    host.say({ type: 'control_response', response });
    host.end();
    expect(await host.ended).toBe(1);
    expect(await host.until(isResult)).toMatchObject({ terminal_reason: 'aborted_tools' });
  });

  it('a switch of the model that a hook blocks is refused with its code', async () => {
    play();
    const refusal = JSON.stringify({
      hookSpecificOutput: { hookEventName: 'PreModelSwitch', permissionDecision: 'deny' },
    });
    const hooks = { PreModelSwitch: [{ hooks: [{ type: 'command', command: `echo '${refusal}'` }] }] };
    const host = startHost(server, { options: { settings: { hooks } } });
    expect(await host.ask('set_model', { model: 'haiku' })).toMatchObject({
      subtype: 'error',
      error_code: 'blocked_by_hook',
    });
    host.end();
    await host.ended;
  });

  it('a host that reconnects receives the open questions again', async () => {
    play(reply(touch), reply('Done.'));
    const host = startHost(server, { asksHost: true });
    host.prompt('Go.');
    const asked = await host.until(({ type }) => type === 'control_request');
    expect((await host.ask('initialize'))['pending_permission_requests']).toEqual([asked]);
    expect(await host.until(({ subtype }) => subtype === 'background_tasks_changed')).toMatchObject({
      tasks: [],
    });
    host.end();
    await host.ended;
  });

  it('a host that hangs up has not agreed', async () => {
    play(reply(touch), reply('Well.'));
    const host = startHost(server, { asksHost: true });
    host.prompt('Go.');
    await host.until(({ type }) => type === 'control_request');
    host.end();
    expect(await host.ended).toBe(0);
    expect(await host.until(isResult)).toMatchObject({
      subtype: 'success',
      permission_denials: [{ tool_name: 'Bash' }],
    });
  });

  it('hook_callback names the callback, its input and the call', async () => {
    play(reply(toolUse('Glob', { pattern: '*' })), reply('Done.'));
    const asked: unknown[] = [];
    const host = startHost(server, {
      onRequest(request) {
        asked.push(request);
        return {};
      },
    });
    await host.ask('initialize', {
      hooks: { PreToolUse: [{ matcher: 'Glob', hookCallbackIds: ['hook_7'], timeout: 5 }] },
    });
    await oneTurn(host);
    expect(asked).toMatchObject([
      {
        subtype: 'hook_callback',
        callback_id: 'hook_7',
        tool_use_id: expect.stringMatching(/^toolu_/),
        input: { hook_event_name: 'PreToolUse', tool_name: 'Glob', tool_input: { pattern: '*' } },
      },
    ]);
  });

  it('a host that leaves before it answers a notification: the result is the last message', async () => {
    play(reply('', { faults: [{ name: 'http-status', status: 400 }] }));
    const told: unknown[] = [];
    const env = {
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'k',
      TURNWRIGHT_IDLE_NOTIFICATION_MS: '1',
    };
    const host = startHost(server, {
      options: { env },
      onRequest(request) {
        told.push(request['input']);
        if (told.length === 1) host.end();
        return undefined;
      },
    });
    const hook = [{ hookCallbackIds: ['hook_0'] }];
    await host.ask('initialize', { hooks: { Notification: hook, SessionEnd: hook } });
    host.prompt('Go.');
    expect(await host.ended).toBe(1);
    expect(told).toMatchObject([{ hook_event_name: 'Notification' }, { hook_event_name: 'SessionEnd' }]);
    const messages = host.lines.filter(({ type }) => type !== 'control_request');
    expect(messages.map(nameOf).at(-1)).toBe('result/success');
  });

  it("mcp_message: handshake, list, call; the host's error is the model's", async () => {
    play(reply([toolUse('mcp__k__echo', { t: 'x' }), toolUse('mcp__k__fail', {})]), reply('Done.'));
    const methods: unknown[] = [];
    const host = startHost(server, {
      options: { allowedTools: ['mcp__k'] },
      onRequest({ message }) {
        const { id, method, params } = message as { id?: number; method: string; params?: { name: string } };
        methods.push(method);
        const ok = (result: unknown) => ({ mcp_response: { jsonrpc: '2.0', id, result } });
        if (method === 'initialize') {
          const serverInfo = { name: 'k', version: '9.9.9' };
          return ok({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
        }
        if (method === 'tools/list') {
          const inputSchema = { type: 'object', properties: { t: { type: 'string' } } };
          return ok({ tools: ['echo', 'fail'].map((name) => ({ name, inputSchema })) });
        }
        if (params?.name === 'fail') {
          return { mcp_response: { jsonrpc: '2.0', id, error: { code: -32_000, message: 'No luck.' } } };
        }
        return ok({ content: [{ type: 'text', text: 'echoed' }] });
      },
    });
    await host.ask('initialize', { sdkMcpServers: ['k'] });
    expect(payload(await host.ask('mcp_status'))).toMatchObject({
      mcpServers: [{ name: 'k', status: 'connected', serverInfo: { version: '9.9.9' } }],
    });
    await oneTurn(host);
    expect(methods).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
      'tools/call',
    ]);
    expect(JSON.stringify(host.lines.filter(({ type }) => type === 'control_request').at(-1))).toContain(
      'claudecode/toolUseId',
    );
    expect(sent()).toContain('echoed');
    expect(sent()).toContain('No luck.');
  });

  it('a host that fails at a request is heard as a failure', async () => {
    play(reply(touch), reply('Well.'));
    const host = startHost(server, { asksHost: true });
    host.prompt('Go.');
    const { request_id } = await host.until(({ type }) => type === 'control_request');
    host.say({
      type: 'control_response',
      response: { subtype: 'error', request_id, error: 'The dialog broke.' },
    });
    await host.until(isResult);
    host.end();
    await host.ended;
    expect(sent()).toContain('The dialog broke.');
  });
});

describe('replays', () => {
  it("prompts come back under their sender's uuid, and the host's own answers", async () => {
    play(reply(touch), reply('Done.'));
    const host = startHost(server, {
      options: { replayUserMessages: true },
      asksHost: true,
      echoesAnswers: true,
      onRequest: ({ input }) => ({ behavior: 'allow', updatedInput: input }),
    });
    const uuid = '22222222-2222-4222-8222-222222222222';
    host.prompt('Go.', { uuid });
    await host.until(isResult);
    host.end();
    await host.ended;
    expect(host.lines).toContainEqual(
      expect.objectContaining({
        type: 'user',
        uuid,
        isReplay: true,
        message: { role: 'user', content: 'Go.' },
      }),
    );
    expect(host.lines.filter(({ type }) => type === 'control_response')).toHaveLength(1);
  });
});

describe('completion conditions', () => {
  it('what does not hold goes back, and the result has the proof; a host that gave none sees nothing of it', async () => {
    play(reply('Done.'), reply(toolUse('Bash', { command: 'echo x > built' })), reply('Done.'));
    const host = startHost(server, {
      options: {
        env: envOf({ PATH: process.env['PATH'] }),
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        verify: { commands: ['cat built'] },
      },
    });
    const { result, code } = await oneTurn(host);
    expect(code).toBe(0);
    expect(result).toMatchObject({
      subtype: 'success',
      is_error: false,
      verification: { status: 'verified', checks: [{ name: 'cat built', outcome: 'passed', by: 'engine' }] },
    });
  });

  it('an end that is not true is an error, with the exit code of one', async () => {
    play(reply('Done.'));
    const host = startHost(server, {
      options: { env: envOf({}), verify: { exist: ['never'], attempts: 0 } },
    });
    const { result, code } = await oneTurn(host);
    expect(code).toBe(1);
    expect(result).toMatchObject({ terminal_reason: 'unverified', is_error: true, result: 'Done.' });
  });
});
