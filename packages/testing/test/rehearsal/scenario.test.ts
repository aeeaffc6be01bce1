import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  assistant,
  errorOf,
  messageOf,
  type RawAnswer,
  READ_TOOL,
  raw,
  request,
  user,
} from '@turnwright/test/rehearsal/raw-http.ts';
import { afterEach, describe, expect, it } from 'vitest';
import {
  defineScenario,
  loadScenario,
  parseScenario,
  type RehearsalServer,
  reply,
  startRehearsal,
  toolUse,
} from '../../src/rehearsal/index.ts';

const fixture = (name: string) => join(fileURLToPath(new URL('./fixtures', import.meta.url)), name);

let server: RehearsalServer | undefined;
afterEach(() => server?.close());

const ask = (prompt: string, rest: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  raw(server?.url ?? '', { body: request(prompt, rest), headers });
const said = (answer: RawAnswer) =>
  messageOf(answer)
    .content.map((block) => (block.type === 'text' ? block.text : block.type))
    .join(' ');

describe('conditions', () => {
  it('replies come in order, once each, when nothing is said', async () => {
    server = await startRehearsal({
      scenario: {
        name: 's',
        replies: [reply('one'), reply('two', { times: 2 }), reply('three', { times: 'any' })],
      },
    });
    const heard: string[] = [];
    for (let n = 0; n < 5; n++) heard.push(said(await ask('go')));
    expect(heard).toEqual(['one', 'two', 'two', 'three', 'three']);
  });

  it('the n-th call, the last message, the tools offered, the model', async () => {
    server = await startRehearsal({
      scenario: defineScenario({
        name: 's',
        replies: [
          reply('third', { when: { call: 3 } }),
          reply('weather', { when: { lastMessage: /rain|sun/i }, times: 'any' }),
          reply('reader', { when: { toolsOffered: ['Read'] }, times: 'any' }),
          reply('small', { when: { model: 'claude-haiku-5-5' } }),
          reply('else', { times: 'any' }),
        ],
      }),
    });
    expect(said(await ask('Sunny?'))).toBe('weather');
    expect(said(await ask('x', { tools: [READ_TOOL] }))).toBe('reader');
    expect(said(await ask('rain', { tools: [READ_TOOL] }))).toBe('third');
    expect(
      said(await ask('x', { model: 'claude-haiku-5-5', tools: [{ ...READ_TOOL, name: 'Other' }] })),
    ).toBe('small');
    expect(said(await ask('x', { tools: [{ ...READ_TOOL, name: 'Other' }] }))).toBe('else');
  });

  it('a condition looks into tool results', async () => {
    server = await startRehearsal({
      scenario: { name: 's', replies: [reply('seen', { when: { lastMessage: 'exit code 1' } })] },
    });
    const messages = [
      user('x'),
      assistant([{ type: 'tool_use', id: 'a', name: 'Bash', input: {} }]),
      user([{ type: 'tool_result', tool_use_id: 'a', content: 'exit code 1' }]),
    ];
    expect(said(await raw(server.url, { body: request(messages) }))).toBe('seen');
  });

  it('tells compactions and helpers from the main conversation', async () => {
    server = await startRehearsal({ scenario: await loadScenario(fixture('full-context.yaml')) });
    const tools = { tools: [READ_TOOL] };
    const first = messageOf(await ask('read it', tools));
    expect(first).toMatchObject({ stop_reason: 'tool_use', usage: { input_tokens: 980_000 } });
    const compaction = [
      user('read it'),
      assistant('ok'),
      user([
        { type: 'text', text: 'results' },
        { type: 'text', text: 'Write your notes inside <analysis> and the result inside <summary> tags.' },
      ]),
    ];
    expect(said(await raw(server.url, { body: request(compaction, tools) }))).toContain('A big file');
    expect(said(await ask('title?'))).toBe('A title');
    expect(said(await ask('title?'))).toBe('A title');
    expect(said(await ask('go on', tools))).toBe('The work goes on.');
    expect(server.requests.map(({ kind }) => kind)).toEqual([
      'main',
      'compaction',
      'helper',
      'helper',
      'main',
    ]);
    expect(server.report()).toEqual({ unusedReplies: [], unanswered: [], rejected: [] });
  });

  it('the kind may be given instead of guessed', async () => {
    server = await startRehearsal({
      kindOf: ({ body }) => (body['metadata'] === undefined ? 'main' : 'helper'),
      scenario: (seen) => reply(seen.kind),
    });
    expect(said(await ask('x', { metadata: { user_id: 'u' } }))).toBe('helper');
  });

  it('a function sees the request and may answer late, or not at all', async () => {
    server = await startRehearsal({
      async scenario(seen) {
        await Promise.resolve();
        if (seen.call > 1) return undefined;
        return reply([
          `${seen.kind} ${seen.call} ${seen.lastMessage} ${seen.tools.join()}`,
          toolUse('Read', {}),
        ]);
      },
    });
    expect(said(await ask('hello', { tools: [READ_TOOL] }))).toBe('main 1 hello Read tool_use');
    expect(errorOf(await ask('again', { tools: [READ_TOOL] })).message).toMatch(
      /^rehearsal: scenario scenario has no reply for request 2/,
    );
  });

  it('a function that throws is an error that says so', async () => {
    server = await startRehearsal({
      scenario() {
        throw new Error('my script is broken');
      },
    });
    const answer = await ask('x');
    expect(answer.headers['x-should-retry']).toBe('false');
    expect(errorOf(answer).message).toContain('my script is broken');
  });
});

describe('the end of a scenario', () => {
  it('a request without a reply is answered with an error naming both', async () => {
    server = await startRehearsal({ scenario: await loadScenario(fixture('edit-a-file.yaml')) });
    const answer = await ask('no tools here');
    expect(said(answer)).toBe('Done.');
    const second = await ask('and now?');
    expect(second.status).toBe(400);
    expect(second.headers['x-should-retry']).toBe('false');
    expect(errorOf(second).message).toMatch(
      /^rehearsal: scenario edit a file \(.*edit-a-file\.yaml\), with reply 1 \(line 6\), reply 2 \(line 11\) unused, has no reply for request 2 \(main, call 2, session key:test-key, 0 tools, last user message: "and now\?"\)$/,
    );
    expect(server.report()).toMatchObject({
      unanswered: [{ request: 2 }],
      unusedReplies: [{ session: 'key:test-key', reply: 'reply 1 (line 6)' }, { reply: 'reply 2 (line 11)' }],
    });
  });

  it('a scenario that was not played is reported completely', async () => {
    server = await startRehearsal({ scenario: { name: 's', replies: [reply('a'), reply('b')] } });
    expect(server.report().unusedReplies).toEqual([
      { session: undefined, scenario: 's', reply: 'reply 1' },
      { session: undefined, scenario: 's', reply: 'reply 2' },
    ]);
  });

  it('refused requests use no reply and are reported', async () => {
    server = await startRehearsal({ scenario: { name: 's', replies: [reply('a', { when: { call: 1 } })] } });
    await ask('x', { max_tokens: 0 });
    expect(said(await ask('x'))).toBe('a');
    expect(server.report().rejected).toMatchObject([{ request: 1, rule: 'max-tokens', house: false }]);
  });

  it('faults with `times` strike first, one after the other, and the reply comes whole', async () => {
    server = await startRehearsal({ scenario: await loadScenario(fixture('overloaded-then-answered.yaml')) });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await ask('x')).status);
    expect(statuses).toEqual([429, 429, 429, 200]);
    expect(server.report().unusedReplies).toEqual([]);
  });

  it('a fault without `times` is the delivery', async () => {
    server = await startRehearsal({ scenario: await loadScenario(fixture('broken-stream.json')) });
    expect((await ask('x', { stream: true })).broken).toBe('ECONNRESET');
    expect((await ask('x', { stream: true })).text).toContain('all of it');
  });
});

describe('sessions', () => {
  const scenario = { name: 's', replies: [reply('one'), reply('two')] };

  it('each has its own run: by header, by metadata, by key', async () => {
    server = await startRehearsal({ scenario });
    for (const headers of [
      { 'x-turnwright-session-id': 'a' },
      { 'x-claude-code-session-id': 'b' },
      { 'x-api-key': 'c' },
    ]) {
      expect(said(await ask('x', {}, headers))).toBe('one');
      expect(said(await ask('x', {}, headers))).toBe('two');
    }
    expect(said(await ask('x', { metadata: { user_id: JSON.stringify({ session_id: 'd' }) } }))).toBe('one');
    expect(server.requests.map(({ session }) => session)).toEqual([
      'a',
      'a',
      'b',
      'b',
      'key:c',
      'key:c',
      'd',
    ]);
  });

  it('each may have its own scenario: by key, header or first user message', async () => {
    server = await startRehearsal({
      scenario: () => reply('default'),
      scenarios: [
        { match: { apiKey: 'k1' }, scenario: () => reply('by key') },
        { match: { header: { name: 'X-Team', value: /^blue/ } }, scenario: () => reply('by header') },
        { match: { firstUserMessage: 'deploy' }, scenario: () => reply('by words') },
      ],
    });
    expect(said(await ask('x', {}, { 'x-api-key': 'k1' }))).toBe('by key');
    expect(said(await ask('x', {}, { 'x-api-key': 'k2', 'x-team': 'blue-1' }))).toBe('by header');
    expect(said(await ask('please deploy', {}, { 'x-api-key': 'k3' }))).toBe('by words');
    expect(said(await ask('x', {}, { 'x-api-key': 'k4' }))).toBe('default');
  });

  it('setScenario starts every session anew', async () => {
    server = await startRehearsal({ scenario });
    await ask('x');
    server.setScenario({ name: 't', replies: [reply('other')] });
    expect(said(await ask('x'))).toBe('other');
  });

  it('without any scenario a request is answered with an error', async () => {
    server = await startRehearsal();
    expect(errorOf(await ask('x')).message).toMatch(
      /^rehearsal: no scenario is meant for the session of request 1/,
    );
  });
});

describe('scenario files', () => {
  it('play from first to last', async () => {
    server = await startRehearsal({
      scenario: await loadScenario(fixture('edit-a-file.yaml'), { vars: { root: '/elsewhere' } }),
    });
    const first = messageOf(await ask('change the greeting', { tools: [READ_TOOL] }));
    expect(first.content).toMatchObject([
      { type: 'thinking' },
      { type: 'text' },
      { id: 'toolu_read', input: { file_path: '/elsewhere/hello.txt' } },
    ]);
    const messages = [
      user('change the greeting'),
      assistant(first.content),
      user([{ type: 'tool_result', tool_use_id: 'toolu_read', content: '1\tHello, World' }]),
    ];
    const second = messageOf(await raw(server.url, { body: request(messages, { tools: [READ_TOOL] }) }));
    expect(second.content).toMatchObject([
      { input: { old_string: 'Hello, World', new_string: 'Good morning' } },
    ]);
    messages.push(
      assistant(second.content),
      user([{ type: 'tool_result', tool_use_id: 'toolu_edit', content: 'ok' }]),
    );
    const third = messageOf(await raw(server.url, { body: request(messages, { tools: [READ_TOOL] }) }));
    expect(third).toMatchObject({ stop_reason: 'end_turn', usage: { output_tokens: 12 } });
    expect(server.report()).toEqual({ unusedReplies: [], unanswered: [], rejected: [] });
  });

  it.each([
    ['replies: []', 'f.yaml:1:10: replies: expected at least one reply'],
    ['name: x', 'f.yaml:1:1: replies: '],
    [
      'replies:\n  - blocks:\n      - text: a\n        thinking: b',
      'f.yaml:3:9: replies.0.blocks.0: expected exactly one of text, thinking, redacted_thinking, tool_use',
    ],
    [
      'replies:\n  - blocks: [{ text: a }]\n    timing: { ttftMs: soon }',
      'f.yaml:3:23: replies.0.timing.ttftMs: Invalid input: expected number, received string',
    ],
    [
      'replies:\n  - blocks: [{ text: a }]\n    faults: [earthquake]',
      'f.yaml:3:14: replies.0.faults.0.name: there is no fault "earthquake"; expected one of http-status, ',
    ],
    ['replies:\n  - block: [{ text: a }]', 'f.yaml:2:12: replies.0.block: Unrecognized key: "block"'],
    [
      'replies:\n  - when: { lastMessage: "(" }',
      'f.yaml:2:26: replies.0.when.lastMessage: expected a regular expression',
    ],
    ['replies:\n  - times: often', 'f.yaml:2:12: replies.0.times: expected a positive number or "any"'],
    ['replies: [', 'f.yaml:1:'],
    [
      '{"replies": [{"blocks": [{"tool_use": {"input": {}}}]}]}',
      'f.yaml:1:39: replies.0.blocks.0.tool_use.name: Invalid input: expected string',
    ],
  ])('says where %j is wrong, and what was expected', async (source, message) => {
    await expect(parseScenario(source, 'f.yaml')).rejects.toMatchObject({
      code: 'invalid_scenario',
      message: expect.stringContaining(message),
    });
  });

  it('says every fault it finds, and that a file is not there', async () => {
    await expect(parseScenario('replies:\n  - times: 0\n    stop_reason: 4', 'f.yaml')).rejects.toThrow(
      /f\.yaml:2:12.*\nf\.yaml:3:18/,
    );
    await expect(loadScenario(fixture('gone.yaml'))).rejects.toMatchObject({ code: 'invalid_scenario' });
  });
});
