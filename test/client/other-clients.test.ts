/**
 * Programs in other languages drive the same executable: with the flags they pass, in the order in which they speak, and
 * looking at what they look at.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { turnwright } from '../cli/bin.ts';
import { TOOLBOX } from '../mcp/servers-under-test.ts';
import {
  BIN,
  envFor,
  type Fields,
  isA,
  isResult,
  type Line,
  STREAM,
  startProcess,
  temporary,
} from './host-process.ts';

let server: RehearsalServer;
beforeEach(async () => {
  server = await startRehearsal();
});
afterEach(() => server.close());

const play = (...replies: ReturnType<typeof reply>[]) => server.setScenario({ name: 'clients', replies });
const sent = (index = -1) => JSON.stringify(server.requests.at(index)?.body);
const run = (
  args: readonly string[],
  more: { input?: string; cwd?: string; env?: Record<string, string> } = {},
) => turnwright(args, { ...more, env: { ...envFor(server), ...more.env } });

describe('a client in Python: the handshake first, servers of its own on the command line', () => {
  const args = [
    ...['--output-format', 'stream-json', '--verbose', '--system-prompt', ''],
    ...['--allowedTools', 'mcp__calc__add', '--max-turns', '5', '--model', 'sonnet'],
    ...['--permission-prompt-tool', 'stdio', '--permission-mode', 'default'],
    ...['--mcp-config', JSON.stringify({ mcpServers: { calc: { type: 'sdk', name: 'calc' } } })],
    ...['--setting-sources', '', '--input-format', 'stream-json'],
  ];
  /** It answers what its server is asked. */
  const calc = ({ id, method, params }: { id?: number; method: string; params?: Fields }) => {
    const result =
      method === 'initialize'
        ? {
            protocolVersion: '2024-11-05',
            capabilities: { tools: {} },
            serverInfo: { name: 'calc', version: '1.0.0' },
          }
        : method === 'tools/list'
          ? {
              tools: [{ name: 'add', description: 'Adds.', inputSchema: { type: 'object', properties: {} } }],
            }
          : method === 'tools/call'
            ? { content: [{ type: 'text', text: `sum of ${JSON.stringify(params?.['arguments'])}` }] }
            : {};
    return { mcp_response: { jsonrpc: '2.0', ...(id !== undefined && { id }), result } };
  };
  const client = (asked: Fields[] = []) =>
    startProcess({
      args,
      env: envFor(server, { CLAUDE_CODE_ENTRYPOINT: 'sdk-py', CLAUDE_AGENT_SDK_VERSION: '0.1.0' }),
      onRequest(request) {
        asked.push(request);
        switch (request['subtype']) {
          case 'mcp_message':
            return calc(request['message'] as never);
          case 'can_use_tool':
            return { behavior: 'allow', updatedInput: request['input'] };
          default:
            return {};
        }
      },
    });

  it('permission, hooks without a matcher, its own tool; the stream ends with the result', async () => {
    play(
      reply([toolUse('mcp__calc__add', { a: 1 }), toolUse('Bash', { command: 'touch made' })]),
      reply('Three.'),
    );
    const asked: Fields[] = [];
    const host = client(asked);
    const answer = await host.ask('initialize', {
      hooks: {
        PreToolUse: [{ matcher: null, hookCallbackIds: ['hook_0'] }],
        Stop: [{ hookCallbackIds: ['hook_1'] }],
      },
    });
    expect(answer['response']).toMatchObject({ commands: expect.any(Array), output_style: 'default' });
    host.prompt('Add.', { session_id: 'default' });
    expect(await host.until(isResult)).toMatchObject({
      subtype: 'success',
      is_error: false,
      num_turns: 3,
      result: 'Three.',
      permission_denials: [],
      total_cost_usd: expect.any(Number),
      usage: { input_tokens: expect.any(Number), server_tool_use: { web_search_requests: 0 } },
    });
    host.end();
    expect(await host.exit).toMatchObject({ code: 0 });
    expect(host.stderr()).toBe('');
    expect(host.lines.find(isA('system', 'init'))).toMatchObject({
      mcp_servers: [{ name: 'calc', status: 'connected' }],
      tools: expect.arrayContaining(['mcp__calc__add']),
    });
    const hooks = asked.filter(({ subtype }) => subtype === 'hook_callback');
    expect(hooks.map(({ callback_id }) => callback_id)).toEqual(['hook_0', 'hook_0', 'hook_1']);
    expect(asked.filter(({ subtype }) => subtype === 'can_use_tool')).toMatchObject([{ tool_name: 'Bash' }]);
    expect(sent()).toContain('sum of {\\"a\\":1}');
    expect(sent(0)).not.toContain('You are Turnwright');
  });

  it('a prompt without uuid and origin: its result has neither', async () => {
    play(reply('Hi.'));
    const host = client();
    host.prompt('Hello.', { session_id: 'default' });
    const result = await host.until(isResult);
    for (const name of ['origin', 'user_message_uuid', 'user_message_uuids'])
      expect(result).not.toHaveProperty(name);
    expect(host.lines.some(isA('command_lifecycle'))).toBe(false);
    host.end();
    await host.exit;
  });

  it('it interrupts, asks again, and is ended by a signal right after it closed its end', async () => {
    play(
      reply('Second.', { when: { lastMessage: 'Two.' } }),
      reply('x'.repeat(4_000), { timing: { gapMs: 200 } }),
    );
    const host = client();
    await host.ask('initialize', { hooks: null });
    host.prompt('One.', { session_id: 'default' });
    await host.until(isA('system', 'init'));
    expect(await host.ask('interrupt')).toMatchObject({ subtype: 'success' });
    await host.until(isResult);
    host.prompt('Two.', { session_id: 'default' });
    await host.until((line) => isResult(line) && line['result'] === 'Second.');
    host.end();
    host.child.kill('SIGTERM');
    const { code } = await host.exit;
    expect([0, 143]).toContain(code);
  });

  it('a server that asks a person, and a host that knows no such request: declined', async () => {
    const properties = { name: { type: 'string' }, age: { type: 'number' } };
    play(
      reply(
        toolUse('mcp__box__ask', {
          params: { message: 'Your name?', requestedSchema: { type: 'object', properties } },
        }),
      ),
      reply('Well.'),
    );
    const box = JSON.stringify({ mcpServers: { box: { command: process.execPath, args: [TOOLBOX] } } });
    const host = startProcess({
      args: [...STREAM, '--setting-sources=', '--dangerously-skip-permissions', '--mcp-config', box],
      env: { ...envFor(server), CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1' },
    });
    await host.ask('initialize');
    host.prompt('Go.');
    const isState = (state: string) => (line: Line) =>
      isA('system', 'session_state_changed')(line) && line['state'] === state;
    await host.until(isState('requires_action'));
    const isAsked = (line: Line) =>
      isA('control_request')(line) && (line['request'] as Fields)['subtype'] === 'elicitation';
    const { request_id, request } = await host.until(isAsked);
    expect(request).toMatchObject({ property_order: ['name', 'age'] });
    const error = 'Unsupported control request subtype: elicitation';
    host.say({ type: 'control_response', response: { subtype: 'error', request_id, error } });
    await host.until(isState('running'));
    expect(await host.until(isResult)).toMatchObject({ subtype: 'success', result: 'Well.' });
    expect(sent()).toMatch(/decline|cancel/);
    host.end();
    await host.exit;
  });
});

describe('a CI action: the prompt is piped in, the lines are kept as a file', () => {
  const flags = [
    '-p',
    '--verbose',
    '--output-format',
    'stream-json',
    '--max-turns',
    '3',
    '--allowedTools',
    'Edit,Read,Bash(echo:*)',
  ];

  it('every line is an object; init is first, the result last; the exit code is its', async () => {
    play(reply(toolUse('Bash', { command: 'echo hi' })), reply('Done.'));
    const { code, stdout, stderr } = await run(flags, { input: 'Mend it.\n' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init', model: expect.any(String) });
    expect(messages.at(-1)).toMatchObject({
      type: 'result',
      subtype: 'success',
      is_error: false,
      duration_ms: expect.any(Number),
      num_turns: 2,
      total_cost_usd: expect.any(Number),
      permission_denials: [],
      session_id: messages[0]?.['session_id'],
    });
    expect(sent(0)).toContain('Mend it.');
  });

  it.each([
    {
      how: 'an API that refuses',
      play: () => play(reply('', { faults: [{ name: 'http-status', status: 400 }] })),
      is: 'success',
    },
    {
      how: 'a turn limit',
      play: () => play(reply(toolUse('Bash', { command: 'echo hi' }), { times: 'any' })),
      is: 'error_max_turns',
    },
  ])('$how: is_error in the last line, exit 1', async ({ play: begin, is }) => {
    begin();
    const { code, stdout } = await run(flags, { input: 'Go.' });
    expect(code).toBe(1);
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'result',
      subtype: is,
      is_error: true,
    });
  });

  it('servers and settings from files, a schema, a system prompt beside the own', async () => {
    const folder = temporary();
    const config = join(folder, 'mcp.json');
    const settings = join(folder, 'settings.json');
    writeFileSync(
      config,
      JSON.stringify({ mcpServers: { box: { command: process.execPath, args: [TOOLBOX] } } }),
    );
    writeFileSync(settings, JSON.stringify({ permissions: { allow: ['mcp__box__echo'] } }));
    const schema = JSON.stringify({
      type: 'object',
      properties: { ok: { type: 'boolean' } },
      required: ['ok'],
    });
    play(
      reply(toolUse('mcp__box__echo', { text: 'larch' })),
      reply(toolUse('StructuredOutput', { ok: true })),
    );
    const more = ['--mcp-config', config, '--settings', settings, '--json-schema', schema];
    const { code, stdout } = await run([...flags, ...more, '--append-system-prompt', 'Mind the larch.'], {
      input: 'Go.',
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      structured_output: { ok: true },
    });
    expect(sent(0)).toContain('Mind the larch.');
    expect(sent(0)).toContain('You are Turnwright');
  });
});

describe('a wrapper that starts one process for each prompt', () => {
  it('json is one object; its session_id goes on with --resume; what they cost adds up', async () => {
    play(reply('One.'), reply('Two.'));
    const home = temporary();
    const env = { ...envFor(server), TURNWRIGHT_HOME: home };
    const cwd = temporary();
    const first = JSON.parse((await run(['-p', 'First.', '--output-format', 'json'], { env, cwd })).stdout);
    expect(first).toMatchObject({ type: 'result', result: 'One.', session_id: expect.any(String) });
    const second = await run(['--print', '--output-format=json', `--resume=${first.session_id}`, 'Second.'], {
      env,
      cwd,
    });
    expect(second).toMatchObject({ code: 0, stderr: '' });
    const result = JSON.parse(second.stdout);
    expect(result).toMatchObject({ result: 'Two.', session_id: first.session_id });
    expect(result.total_cost_usd).toBeGreaterThan(first.total_cost_usd);
    expect(sent()).toContain('First.');
  });

  it('text is the answer alone; an API error is on stderr, with exit 1', async () => {
    play(reply('Just this.'));
    expect(await run(['-p', 'Go.'])).toEqual({ code: 0, signal: null, stdout: 'Just this.\n', stderr: '' });
    play(reply('', { faults: [{ name: 'http-status', status: 404, message: 'no such model' }] }));
    const failed = await run(['-p', 'Go.']);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toBe('');
    expect(failed.stderr).toContain('404');
  });
});

describe('a host that has its prompts replayed', () => {
  it('those that became one turn: each before it begins, the last one with all of it', async () => {
    play(
      reply('Both.', { when: { lastMessage: 'Three.' } }),
      reply('x'.repeat(400), { timing: { gapMs: 20 } }),
    );
    const args = [...STREAM, '--setting-sources=', '--replay-user-messages'];
    const host = startProcess({ args, env: envFor(server) });
    host.prompt('One.', { uuid: 'one' });
    await host.until(isA('system', 'init'));
    host.prompt('Two.', { uuid: 'two' });
    host.prompt('Three.', { uuid: 'three' });
    host.end();
    await host.exit;
    const shown = host.lines.flatMap(({ isReplay, uuid, message, state, command_uuid }) =>
      isReplay === true
        ? [[uuid, (message as Fields)['content']]]
        : state === 'started'
          ? [command_uuid]
          : [],
    );
    expect(shown).toEqual([
      'one',
      ['one', 'One.'],
      ['two', 'Two.'],
      'two',
      'three',
      ['three', 'Two.\nThree.'],
    ]);
  });
});

describe('a host that resumes what is not there', () => {
  const unknown = '99999999-9999-4999-8999-999999999999';
  const why = `No conversation found with session ID: ${unknown}`;

  it('initialize is not answered: a result says why, as does stderr, and the process ends', async () => {
    const host = startProcess({
      args: [...STREAM, '--setting-sources=', `--resume=${unknown}`],
      env: envFor(server),
    });
    host.say({ type: 'control_request', request_id: 'r1', request: { subtype: 'initialize' } });
    expect(await host.exit).toMatchObject({ code: 1 });
    expect(host.lines).toMatchObject([
      { type: 'result', subtype: 'error_during_execution', session_id: unknown, errors: [why] },
    ]);
    expect(host.stderr()).toBe(`${why}\n`);
  });

  it.each([
    { format: 'text', lines: 0 },
    { format: 'json', lines: 1 },
    { format: 'stream-json', lines: 1 },
  ])('-p with $format', async ({ format, lines }) => {
    const args = ['-p', 'Go.', `--output-format=${format}`, `--resume=${unknown}`];
    const { code, stdout, stderr } = await run(args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${why}\n` });
    const said = stdout.split('\n').filter((line) => line !== '');
    expect(said.map((line) => JSON.parse(line))).toMatchObject(
      Array(lines).fill({ type: 'result', errors: [why] }),
    );
  });
});

describe('a host that asks and closes its end at once', () => {
  it('what it asked for before is answered; then the process ends with 0', async () => {
    const host = startProcess({ args: [...STREAM, '--setting-sources=user'], env: envFor(server) });
    const asked = ['initialize', 'get_context_usage', 'mcp_status', 'get_settings', 'list_models'];
    const answers = asked.map((subtype) => host.ask(subtype));
    host.end();
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ subtype: 'success' });
    expect(await host.exit).toMatchObject({ code: 0 });
    expect(host.lines).toHaveLength(asked.length);
  });

  it('a prompt among them has its turn', async () => {
    play(reply('Hi.'));
    const host = startProcess({ args: [...STREAM, '--setting-sources='], env: envFor(server) });
    const answers = [host.ask('initialize'), host.ask('get_context_usage')];
    host.prompt('Go.');
    host.end();
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ subtype: 'success' });
    expect(await host.until(isResult)).toMatchObject({ result: 'Hi.' });
    expect(await host.exit).toMatchObject({ code: 0 });
  });
});

describe('a host that sends SIGINT, as a terminal does to a group', () => {
  const start = () => startProcess({ args: [...STREAM, '--setting-sources='], env: envFor(server) });

  it('between two turns: the process ends with 0', async () => {
    play(reply('Hi.'));
    const host = start();
    host.prompt('Go.');
    await host.until(isResult);
    host.child.kill('SIGINT');
    expect(await host.exit).toMatchObject({ code: 0 });
  });

  it('in a turn: what was said so far, the result, and then the end; nothing that waits is begun', async () => {
    play(reply('x'.repeat(4_000), { timing: { gapMs: 200 } }));
    const host = start();
    await host.ask('initialize');
    host.prompt('One.', { uuid: 'one' });
    await host.until(isA('system', 'init'));
    host.prompt('Two.', { uuid: 'two' });
    await host.until((line) => line['command_uuid'] === 'two');
    host.child.kill('SIGINT');
    expect(await host.exit).toMatchObject({ code: 0 });
    expect(host.lines.filter(isResult)).toMatchObject([{ terminal_reason: 'aborted_streaming' }]);
    const ends = host.lines.filter(({ state }) => state === 'cancelled');
    expect(ends.map(({ command_uuid: uuid }) => uuid).sort()).toEqual(['one', 'two']);
  });
});

describe('how it is started', () => {
  it('the executable is a script for a shell: no runtime takes it for its own by its name', () => {
    expect(basename(BIN)).not.toMatch(/\.[cm]?js$/);
    expect(readFileSync(BIN, 'utf8')).toMatch(/^#!/);
    expect(statSync(BIN).mode & 0o111).not.toBe(0);
  });

  it.each([
    { flags: ['--tools', ''], has: [], lacks: ['"name":"Bash"'] },
    { flags: ['--tools='], has: [], lacks: ['"name":"Bash"'] },
    { flags: ['--tools', 'default'], has: ['"name":"Bash"', '"name":"Read"'], lacks: [] },
    { flags: ['--tools=Read', ''], has: ['"name":"Read"'], lacks: ['"name":"Bash"'] },
    { flags: ['--model=haiku'], has: ['claude-haiku-5-5'], lacks: [] },
  ])('flags as they come: $flags', async ({ flags, has, lacks }) => {
    play(reply('Hi.'));
    const host = startProcess({ args: [...STREAM, '--setting-sources=', ...flags], env: envFor(server) });
    host.prompt('Go.');
    await host.until(isResult);
    host.end();
    expect((await host.exit).code).toBe(0);
    for (const text of has) expect(sent()).toContain(text);
    for (const text of lacks) expect(sent()).not.toContain(text);
  });

  it.each(['argv', 'initialize'])('servers come by %s', async (delivery) => {
    play(reply(toolUse('mcp__box__echo', { text: 'larch' })), reply('Done.'));
    const mcpServers = { box: { type: 'stdio', command: process.execPath, args: [TOOLBOX] } };
    const byArgv =
      delivery === 'argv' ? ['--mcp-config', JSON.stringify({ mcpServers })] : ['--await-initialize'];
    const host = startProcess({
      args: [...STREAM, '--setting-sources=', '--allowedTools=mcp__box', ...byArgv],
      env: envFor(server),
    });
    const answer = await host.ask('initialize', delivery === 'argv' ? {} : { mcpServers });
    expect(answer['response']).toMatchObject(delivery === 'argv' ? {} : { mcp_servers_applied: true });
    host.prompt('Go.');
    await host.until(isResult);
    expect(sent()).toContain('larch');
    host.end();
    await host.exit;
  });
});

describe('readers of transcripts and mirrors', () => {
  it('--session-mirror: transcripts of agents too, between what they are and that they finished', async () => {
    play(
      reply(toolUse('Agent', { description: 'look', prompt: 'Look.', subagent_type: 'general-purpose' })),
      reply('Seen.'),
      reply('Done.'),
    );
    const args = [...STREAM, '--setting-sources=', '--session-mirror', '--dangerously-skip-permissions'];
    const host = startProcess({ args, env: envFor(server) });
    host.prompt('Go.');
    const { session_id } = await host.until(isResult);
    host.end();
    await host.exit;
    const ofAgent = host.lines.filter(
      (line) =>
        isA('transcript_mirror')(line) && String(line['filePath']).includes(`${session_id}/subagents/agent-`),
    );
    const entries = ofAgent.flatMap(({ entries: list }) => list as Fields[]);
    const what = {
      agentType: 'general-purpose',
      description: 'look',
      spawnDepth: 1,
      model: expect.any(String),
    };
    expect(entries[0]).toMatchObject({ type: 'agent_metadata', toolUseId: expect.any(String), ...what });
    expect(entries[0]).not.toHaveProperty('finished');
    expect(entries.at(-1)).toMatchObject({ type: 'agent_metadata', finished: true, ...what });
    expect(entries.map(({ type }) => type)).toEqual(expect.arrayContaining(['user', 'assistant']));
    expect(readFileSync(String(ofAgent[0]?.['filePath']), 'utf8')).not.toContain('agent_metadata');
  });

  it('the last prompt is recorded before each result, for lists of sessions', async () => {
    play(reply('One.'), reply('Two.'));
    const host = startProcess({
      args: [...STREAM, '--setting-sources=', '--session-mirror'],
      env: envFor(server),
    });
    host.prompt('First\nof all.');
    await host.until(isResult);
    host.prompt('x'.repeat(1_000));
    await host.until((line) => line['result'] === 'Two.');
    host.end();
    await host.exit;
    const entries = host.lines.flatMap(({ entries: list }) => (list ?? []) as Fields[]);
    const { session_id: sessionId } = host.lines.find(isResult) as Line;
    expect(entries.filter(({ type }) => type === 'last-prompt')).toMatchObject([
      { lastPrompt: 'First of all.', leafUuid: expect.any(String), sessionId },
      { lastPrompt: 'x'.repeat(200) },
    ]);
  });

  it('--session-mirror: lines of what was written, all of them before the result; usage by message and request', async () => {
    play(reply(['Look.', toolUse('Bash', { command: 'echo hi' })]), reply('Done.'));
    const host = startProcess({
      args: [...STREAM, '--setting-sources=', '--session-mirror', '--allowedTools=Bash(echo:*)'],
      env: envFor(server),
    });
    host.prompt('Go.');
    const result = await host.until(isResult);
    host.end();
    await host.exit;
    const mirrored = host.lines.filter(isA('transcript_mirror'));
    expect(mirrored.length).toBeGreaterThan(0);
    expect(host.lines.findLastIndex(isA('transcript_mirror'))).toBeLessThan(host.lines.indexOf(result));
    expect(mirrored[0]?.['filePath']).toMatch(new RegExp(`${String(result['session_id'])}\\.jsonl$`));
    const entries = mirrored.flatMap(({ entries: list }) => list as Fields[]);
    const answers = entries.filter(({ type }) => type === 'assistant');
    expect(new Set(answers.map((each) => (each['message'] as Fields)['id'])).size).toBe(2);
    for (const each of answers)
      expect(each).toMatchObject({ requestId: expect.any(String), uuid: expect.any(String) });
    const usage = new Map(
      answers.map((each) => {
        const { id, usage: told } = each['message'] as { id: string; usage: { output_tokens: number } };
        return [`${id} ${String(each['requestId'])}`, told.output_tokens];
      }),
    );
    const total = [...usage.values()].reduce((sum, tokens) => sum + tokens, 0);
    expect(total).toBe((result['usage'] as { output_tokens: number }).output_tokens);
  });

  it('--replay-user-messages: prompts under their own uuid, and the host hears its own answers', async () => {
    play(reply(toolUse('Bash', { command: 'touch x' })), reply('Done.'));
    const host = startProcess({
      args: [...STREAM, '--setting-sources=', '--replay-user-messages', '--permission-prompt-tool=stdio'],
      env: envFor(server),
      onRequest: ({ input }) => ({ behavior: 'allow', updatedInput: input }),
    });
    const uuid = '55555555-5555-4555-8555-555555555555';
    host.prompt('Go.', { uuid, origin: { kind: 'human' } });
    const result = await host.until(isResult);
    expect(result).toMatchObject({ user_message_uuid: uuid, origin: { kind: 'human' } });
    expect(host.lines).toContainEqual(expect.objectContaining({ type: 'user', uuid, isReplay: true }));
    expect(host.lines.filter(isA('control_response'))).toHaveLength(1);
    host.end();
    await host.exit;
  });
});
