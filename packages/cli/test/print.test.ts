import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SDKMessage, SDKResultMessage } from '@turnwright/engine';
import { against, BIN, bareEnv, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { type RehearsalServer, reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

function bodyOf(server: RehearsalServer, at = 0) {
  return server.requests[at]?.body as {
    readonly model: string;
    readonly system?: readonly { readonly text: string }[];
    readonly tools?: readonly { readonly name: string }[];
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  };
}

describe('formats', () => {
  test('text: the answer alone on stdout, nothing on stderr', async () => {
    const server = await rehearse(reply('Paris.'));
    const ran = await turnwright(['capital of France?'], { env: against(server) });
    expect(ran).toEqual({ code: 0, signal: null, stdout: 'Paris.\n', stderr: '' });
    expect(JSON.stringify(bodyOf(server).messages)).toContain('capital of France?');
  });

  test('an MCP server that cannot be used is named on stderr; the answer comes all the same', async () => {
    const server = await rehearse(reply('Paris.'));
    const config = JSON.stringify({ mcpServers: { atlas: { command: join(temporaryFolder(), 'nothing') } } });
    const ran = await commandLine(['-p', 'capital of France?', '--mcp-config', config], {
      env: against(server),
    });
    expect(ran).toMatchObject({ code: 0, stdout: 'Paris.\n' });
    expect(ran.stderr).toMatch(/^The MCP server atlas cannot be used: .*\n$/);
  });

  test('--verbose with a closed stderr affects neither the answer nor the exit code', async () => {
    const server = await rehearse(reply('Paris.'));
    const child = spawn(process.execPath, [BIN, '-p', '--verbose', 'capital of France?'], {
      cwd: temporaryFolder(),
      env: bareEnv(against(server)),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr.destroy();
    let stdout = '';
    for await (const chunk of child.stdout) stdout += String(chunk);
    if (child.exitCode === null) await once(child, 'exit');
    expect([stdout, child.exitCode]).toEqual(['Paris.\n', 0]);
  });

  test('text with --verbose: the course of things on stderr, without colours', async () => {
    const server = await rehearse(reply([toolUse('Glob', { pattern: '*' })]), reply('Nothing here.'));
    const ran = await commandLine(['-p', '--verbose', 'look'], { env: against(server) });
    expect(ran.stdout).toBe('Nothing here.\n');
    expect(ran.stderr).toMatch(/^● Glob \* {2}\d+ files? · \d+ ms$/m);
    expect(ran.stderr).toMatch(/1 tool call/);
    expect(ran.stderr).not.toContain('\x1b');
  });

  test('json: the result as one object', async () => {
    const server = await rehearse(reply('Paris.'));
    const ran = await commandLine(['-p', 'capital?', '--output-format=json'], { env: against(server) });
    const result = JSON.parse(ran.stdout) as SDKResultMessage;
    expect(result).toMatchObject({
      type: 'result',
      subtype: 'success',
      result: 'Paris.',
      terminal_reason: 'completed',
    });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
  });

  test('stream-json: one message a line, init first and the result last', async () => {
    const server = await rehearse(reply('Paris.'));
    const args = ['-p', 'capital?', '--output-format', 'stream-json', '--include-partial-messages'];
    const ran = await commandLine(args, { env: against(server) });
    const messages = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as SDKMessage);
    expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init' });
    expect(messages.at(-1)).toMatchObject({ type: 'result' });
    expect(messages.some((message) => message.type === 'stream_event')).toBe(true);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
  });

  test.each(['json', 'stream-json'])(
    '%s: a message is one line also for readers that end a line at U+2028 and U+2029',
    async (format) => {
      const text = 'one\u2028two\u2029three';
      const server = await rehearse(reply(text));
      const ran = await commandLine(['-p', text, '--output-format', format], { env: against(server) });
      expect(ran.stdout).not.toMatch(/[\u2028\u2029]/);
      const last = ran.stdout.trimEnd().split('\n').at(-1) ?? '';
      expect(JSON.parse(last)).toMatchObject({ type: 'result', result: text });
    },
  );

  test('a schema: the value as JSON', async () => {
    const server = await rehearse(reply([toolUse('StructuredOutput', { city: 'Paris' })]));
    const schema = JSON.stringify({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    });
    const ran = await commandLine(['-p', 'capital?', '--json-schema', schema], { env: against(server) });
    expect(ran).toMatchObject({ code: 0, stdout: '{"city":"Paris"}\n', stderr: '' });
  });
});

describe('exit codes', () => {
  test('1 and the error’s text on stderr when the API refuses', async () => {
    const server = await rehearse(
      reply('', { faults: [{ name: 'http-status', status: 403 }], times: 'any' }),
    );
    const ran = await commandLine(['-p', 'hi'], { env: against(server) });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/API Error: 403 .*\n$/);
  });

  test.each(['json', 'stream-json'])('1 in %s too, and stdout stays valid', async (format) => {
    const server = await rehearse(
      reply('', { faults: [{ name: 'http-status', status: 403 }], times: 'any' }),
    );
    const ran = await commandLine(['-p', 'hi', '--output-format', format], { env: against(server) });
    const last = JSON.parse(ran.stdout.trimEnd().split('\n').at(-1) ?? '') as SDKResultMessage;
    expect(last).toMatchObject({ subtype: 'success', is_error: true, terminal_reason: 'api_error' });
    expect([ran.code, ran.stderr]).toEqual([1, '']);
  });

  test('a strict budget that cannot pay for the first call: nothing is sent', async () => {
    const server = await rehearse();
    const flags = ['--max-budget-usd', '0.01', '--strict-budget', '--model', 'opus'];
    const ran = await commandLine(['-p', 'go', ...flags], { env: against(server) });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/Reached maximum budget \(\$0\.01\)[\s\S]*This call may cost up to \$/);
    expect(server.requests).toEqual([]);
  });

  test('1 at the turn limit, which is named on stderr; stdout keeps what the model said last', async () => {
    const look = toolUse('Glob', { pattern: '*' });
    const server = await rehearse(
      reply(['First I look.', look]),
      reply(['I look again.', { ...look, id: 'again' }]),
    );
    const ran = await commandLine(['-p', 'go', '--max-turns', '2'], { env: against(server) });
    expect(ran).toEqual({
      code: 1,
      signal: null,
      stdout: 'I look again.\n',
      stderr: 'Reached maximum number of turns (2)\n',
    });
  });

  test('retries are named on stderr with their cause, but not beside stream-json', async () => {
    const overloaded = reply('Hello.', { faults: [{ name: 'http-status', status: 529, times: 1 }] });
    for (const [format, stderr] of [
      ['text', /^↻ overloaded \(529\): retry 1 of 10 in \d+ ms\n$/],
      ['json', /^↻ overloaded \(529\): retry 1 of 10 in \d+ ms\n$/],
      ['stream-json', /^$/],
    ] as const) {
      const ran = await commandLine(['-p', 'go', '--output-format', format], {
        env: against(await rehearse(overloaded)),
      });
      expect([ran.code, ran.stdout], format).toEqual([0, expect.stringContaining('Hello.')]);
      expect(ran.stderr, format).toMatch(stderr);
    }
  });

  test('0 for a refusal: it is an answer', async () => {
    const server = await rehearse(reply('I would rather not.', { stop_reason: 'refusal' }));
    const ran = await commandLine(['-p', 'go'], { env: against(server) });
    expect(ran).toMatchObject({ code: 0, stdout: 'I would rather not.\n' });
  });
});

describe('the prompt', () => {
  test('is what is piped in', async () => {
    const server = await rehearse(reply('Read.'));
    const ran = await turnwright(['-p'], { env: against(server), input: 'a poem\n' });
    expect(ran).toMatchObject({ code: 0, stdout: 'Read.\n', stderr: '' });
    expect(JSON.stringify(bodyOf(server).messages)).toContain('a poem');
  });

  test('is the words, and behind them what is piped in', async () => {
    const server = await rehearse(reply('Read.'));
    await commandLine(['-p', '', 'sum', 'up'], { env: against(server), input: 'line one\nline two\n' });
    expect(JSON.stringify(bodyOf(server).messages)).toContain('sum up\\n\\nline one\\nline two');
  });
});

describe('flags reach the engine', () => {
  test('model, tools, system prompt', async () => {
    const server = await rehearse(reply('ok'));
    const args = [
      '-p',
      'x',
      '--model=sonnet',
      '--tools',
      'Read,Glob',
      '--append-system-prompt',
      'Speak softly.',
    ];
    await commandLine(args, { env: against(server) });
    const body = bodyOf(server);
    expect(body.model).toBe('claude-sonnet-5-5');
    const names = body.tools?.map((tool) => tool.name);
    expect(names).toEqual(expect.arrayContaining(['Glob', 'Read']));
    expect(names).not.toContain('Bash');
    expect(JSON.stringify(body.system)).toContain('You are Turnwright');
    expect(JSON.stringify(body.system)).toContain('Speak softly.');
  });

  test('no tools, and a system prompt of one’s own', async () => {
    const server = await rehearse(reply('ok'));
    await commandLine(['--tools', '', '--system-prompt=Only this.', '-p', 'x'], { env: against(server) });
    const body = bodyOf(server);
    expect(body.tools ?? []).toEqual([]);
    expect(body.system?.map((block) => block.text)).toEqual(['Only this.']);
  });

  test('--dangerously-skip-permissions runs what would be denied', async () => {
    const write = reply([toolUse('Write', { file_path: 'note.txt', content: 'hello' })]);
    for (const [flags, files] of [
      [[], []],
      [['--dangerously-skip-permissions'], ['note.txt']],
      [['--allowedTools', 'Write', '--'], ['note.txt']],
    ] as const) {
      const server = await rehearse(write, reply('done'));
      const cwd = temporaryFolder();
      const ran = await commandLine(['-p', ...flags, 'write'], { env: against(server), cwd });
      expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
      expect(readdirSync(cwd)).toEqual(files);
      const notice =
        '1 call was denied (1 Write); no user can be asked in this run. See --allowedTools and --permission-mode.\n';
      expect(ran.stderr).toBe(files.length === 0 ? notice : '');
    }
  });

  test('says who denied a call: a hook with its reason, or a deny rule', async () => {
    const write = reply([toolUse('Write', { file_path: 'note.txt', content: 'hello' })]);
    const hook = { type: 'command', command: 'echo "note.txt is frozen until Friday" >&2; exit 2' };
    for (const [settings, notice] of [
      [
        { hooks: { PreToolUse: [{ matcher: 'Write', hooks: [hook] }] } },
        /^1 call was denied \(1 Write\) by a hook: .*note\.txt is frozen until Friday\n$/,
      ],
      [
        { permissions: { deny: ['Write'] } },
        /^1 call was denied \(1 Write\) by a rule: .*the rule Write .*\n$/,
      ],
    ] as const) {
      const server = await rehearse(write, reply('done'));
      const args = ['-p', 'write', '--settings', JSON.stringify(settings), '--dangerously-skip-permissions'];
      const ran = await commandLine(args, { env: against(server), cwd: temporaryFolder() });
      expect(ran.stdout).toBe('done\n');
      expect(ran.stderr).toMatch(notice);
    }
  });

  test('settings: a file, JSON, and none when the sources say so', async () => {
    const cwd = temporaryFolder();
    const file = join(cwd, 'mine.json');
    writeFileSync(file, JSON.stringify({ model: 'haiku' }));
    for (const given of [file, '{"model":"haiku"}']) {
      const server = await rehearse(reply('ok'));
      const ran = await commandLine(['-p', 'x', '--settings', given, '--setting-sources='], {
        env: against(server),
        cwd,
      });
      expect(ran.stderr).toBe('');
      expect(bodyOf(server).model).toBe('claude-haiku-5-5');
    }
  });
});

describe('sessions', () => {
  test('--continue and --resume go on where the last one stopped', async () => {
    const server = await rehearse(reply('one'), reply('two'), reply('three'));
    const cwd = temporaryFolder();
    const env = { ...against(server), TURNWRIGHT_HOME: temporaryFolder() };
    const first = await commandLine(['-p', 'first', '--output-format=json'], { env, cwd });
    const id = (JSON.parse(first.stdout) as SDKResultMessage).session_id;
    const second = await commandLine(['-p', '-c', 'second', '--output-format=json'], { env, cwd });
    const third = await commandLine(['-p', `--resume=${id}`, 'third', '--output-format=json'], { env, cwd });
    for (const ran of [second, third])
      expect((JSON.parse(ran.stdout) as SDKResultMessage).session_id).toBe(id);
    const texts = JSON.stringify(bodyOf(server, 2).messages);
    for (const word of ['first', 'one', 'second', 'two', 'third']) expect(texts).toContain(word);
  });

  test('--continue without a task, when nothing was interrupted, says so', async () => {
    const server = await rehearse(reply('one'));
    const cwd = temporaryFolder();
    const env = { ...against(server), TURNWRIGHT_HOME: temporaryFolder() };
    await commandLine(['-p', 'first'], { env, cwd });
    const ran = await commandLine(['-p', '-c'], { env, cwd });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('Nothing was interrupted');
    expect(server.requests).toHaveLength(1);
  });

  test('--continue without a task goes on after a turn that was stopped, as a turn of its own', async () => {
    const look = (id: string) => ({ ...toolUse('Glob', { pattern: '*' }), id });
    const server = await rehearse(reply(['I look.', look('first')]), reply('I went on.'));
    const cwd = temporaryFolder();
    const env = { ...against(server), TURNWRIGHT_HOME: temporaryFolder() };
    const stopped = await commandLine(['-p', 'first', '--max-turns=1'], { env, cwd });
    expect(stopped).toMatchObject({ code: 1, stdout: 'I look.\n' });
    const ran = await commandLine(['-p', '-c'], { env, cwd });
    expect(ran).toMatchObject({ code: 0, stdout: 'I went on.\n', stderr: '' });
    expect(JSON.stringify(bodyOf(server, 1).messages)).toContain('Go on from where you stopped.');
    expect((await commandLine(['-p', '-c'], { env, cwd })).stderr).toContain('Nothing was interrupted');
  });

  test('--resume of an unknown session is the same mistake with and without a task', async () => {
    const server = await rehearse();
    const env = { ...against(server), TURNWRIGHT_HOME: temporaryFolder() };
    for (const words of [
      ['-p', '--resume=nobody', 'task'],
      ['-p', '--resume=nobody'],
    ]) {
      const ran = await commandLine(words, { env });
      expect(ran).toMatchObject({
        code: 1,
        stdout: '',
        stderr: 'No conversation found with session ID: nobody\n',
      });
    }
  });

  test.each(['text', 'json'])(
    'a sandbox that is not there keeps a run from starting, as %s',
    async (format) => {
      const server = await rehearse();
      const home = temporaryFolder();
      writeFileSync(join(home, 'settings.json'), '{"sandbox":{"enabled":true}}');
      const env = { ...against(server), TURNWRIGHT_HOME: home, PATH: home };
      const { code, stdout, stderr } = await commandLine(['-p', `--output-format=${format}`, 'task'], {
        env,
      });
      expect([code, server.requests]).toEqual([1, []]);
      expect(stderr.match(/Sandbox required but unavailable/g)).toHaveLength(1);
      if (format === 'text') expect(stdout).toBe('');
      else expect(JSON.parse(stdout)).toMatchObject({ subtype: 'error_during_execution', is_error: true });
    },
  );

  test('--resume-drops-turn says on stderr that it refused, and writes nothing', async () => {
    const server = await rehearse(reply('one'), reply('two'));
    const cwd = temporaryFolder();
    const env = { ...against(server), TURNWRIGHT_HOME: temporaryFolder() };
    const first = await commandLine(['-p', 'first', '--output-format=json'], { env, cwd });
    const { session_id: id } = JSON.parse(first.stdout) as SDKResultMessage;
    await commandLine(['-p', '-c', 'second'], { env, cwd });
    const shown = await commandLine(['sessions', 'show', id, '--json'], { env, cwd });
    const [, answer] = (JSON.parse(shown.stdout) as { messages: { uuid: string }[] }).messages;
    const at = [`--resume=${id}`, `--resume-session-at=${answer?.uuid}`];
    for (const format of ['text', 'stream-json']) {
      const ran = await commandLine(
        ['-p', ...at, '--resume-drops-turn=nowhere', 'x', `--output-format=${format}`],
        {
          env,
          cwd,
        },
      );
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(/^Resume rejected by --resume-drops-turn: /);
    }
    expect((await commandLine(['sessions', 'show', id, '--json'], { env, cwd })).stdout).toBe(shown.stdout);
  });

  test('--session-id names it, --no-session-persistence leaves nothing behind', async () => {
    const server = await rehearse(reply('one', { times: 'any' }));
    const home = temporaryFolder();
    const env = { ...against(server), TURNWRIGHT_HOME: home };
    const id = '0b8f7a52-5d0e-4d0c-9a39-6f1f2a3b4c5d';
    const journals = () =>
      readdirSync(home, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith('.jsonl'));
    await commandLine(['-p', 'x', '--no-session-persistence'], { env });
    expect(journals()).toEqual([]);
    const ran = await commandLine(['-p', 'x', '--session-id', id, '--output-format=json'], { env });
    expect((JSON.parse(ran.stdout) as SDKResultMessage).session_id).toBe(id);
    expect(journals()).toHaveLength(1);
    expect(readFileSync(join(home, journals()[0] ?? ''), 'utf8')).toContain(id);
  });
});
