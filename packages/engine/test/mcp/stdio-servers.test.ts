import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import {
  CRUDE,
  call,
  isAlive,
  linesOf,
  openRoom,
  roomOf,
  stdio,
  TOOLBOX,
  temporaryFile,
  toolIn,
  until,
} from '@turnwright/test/mcp/servers-under-test.ts';
import { virtualClock } from '@turnwright/testing/virtual-clock.ts';
import { afterAll, describe, expect, it } from 'vitest';

const box = (env: Record<string, string> = {}) => ({ box: stdio(TOOLBOX, [], env) });

const closings: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closings.map((close) => close())));
/** One for all tests that leave it as it is. */
const shared = (servers: Readonly<Record<string, unknown>>) =>
  lazily(() => openRoom(servers, {}, (close) => closings.push(close)));
const sharedBox = shared(box());
const sharedCrude = shared({ crude: stdio(CRUDE, ['odd']) });

describe('a stdio server', () => {
  it('is connected, and its tools carry its name and what it says of them', async () => {
    const room = await sharedBox();
    expect(room.statuses()).toMatchObject([
      {
        name: 'box',
        status: 'connected',
        scope: 'dynamic',
        serverInfo: { name: 'toolbox', version: '1.2.3' },
      },
    ]);
    const echo = toolIn(room, 'mcp__box__echo');
    expect(await echo.description(undefined, { cwd: '/', model: 'm' })).toBe('What echo does');
    expect([echo.isReadOnly?.({}), echo.isConcurrencySafe?.({}), echo.effectClass?.({})]).toEqual([
      true,
      true,
      'pure',
    ]);
    const touch = toolIn(room, 'mcp__box__touch');
    expect([touch.isConcurrencySafe?.({}), touch.effectClass?.({})]).toEqual([false, 'idempotent']);
    expect(toolIn(room, 'mcp__box__fail').effectClass?.({})).toBe('unsafe');
    expect(room.statuses()[0]?.tools?.[1]).toMatchObject({
      name: 'touch',
      annotations: { destructive: true },
    });
  });

  it('answers in text, images, links, embedded resources and structured data', async () => {
    const room = await sharedBox();
    const echo = await call(toolIn(room, 'mcp__box__echo'), { text: 'hello' });
    expect(echo.text).toBe('{"said":"hello","id":"toolu_1"}');
    expect(echo.output.data).toMatchObject({ structuredContent: { said: 'hello' } });
    expect((await call(toolIn(room, 'mcp__box__picture'))).output.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
    ]);
    expect((await call(toolIn(room, 'mcp__box__mixed'))).text).toBe(
      '[Audio from box] Binary content (audio/wav, 3 bytes), which cannot be shown\n[Resource link: notes] memo://notes\n[Resource from box at memo://one] one',
    );
    expect((await call(toolIn(room, 'mcp__box__finish'))).output.endsTurn).toBe(true);
    expect((await call(toolIn(room, 'mcp__box__fail'))).output).toMatchObject({ isError: true });
    expect(await call(toolIn(room, 'mcp__box__refuse'))).toMatchObject({
      text: 'no such thing',
      output: { isError: true },
    });
  });

  it('is offered the working directory as a root', async () => {
    const room = await sharedBox();
    const { text } = await call(toolIn(room, 'mcp__box__roots'));
    expect(JSON.parse(text)).toMatchObject({ roots: [{ uri: pathToFileURL(tmpdir()).href }] });
  });

  it('sees the environment it was given and nothing else', async () => {
    process.env['MCP_TEST_SECRET'] = 'canary';
    const room = await roomOf(box({ GIVEN: `\${HERE:-there}` }));
    const environment = toolIn(room, 'mcp__box__environment');
    expect((await call(environment, { name: 'GIVEN' })).text).toBe('there');
    expect((await call(environment, { name: 'MCP_TEST_SECRET' })).text).toBe('undefined');
  });

  it('takes its whole group with it when the session ends (F100)', async () => {
    const log = await temporaryFile('log');
    const room = await roomOf(box({ LOG: log }));
    const child = Number((await call(toolIn(room, 'mcp__box__spawn'))).text);
    const server = Number((await readFile(log, 'utf8')).split(/\s/)[1]);
    expect([isAlive(child), isAlive(server)]).toEqual([true, true]);
    await room.close();
    await until(() => !isAlive(child) && !isAlive(server));
  });

  it('tells of a changed list, and keeps the same tools while it is the same', async () => {
    const room = await roomOf(box());
    const before = room.tools;
    await call(toolIn(room, 'mcp__box__grow'), { name: 'newcomer' });
    await until(() => room.tools.some((tool) => tool.name === 'mcp__box__newcomer'));
    expect(room.tools).not.toBe(before);
    const after = room.tools;
    await room.reconnect('box').catch(() => undefined);
    await until(() => room.statuses()[0]?.status === 'connected');
    expect(room.tools).not.toBe(after);
    expect(room.tools.map((tool) => tool.name)).toEqual(before.map((tool) => tool.name));
  });
});

describe('a call', () => {
  it('F77 that hangs settles when the user aborts, the server is notified, and the next call works', async () => {
    const log = await temporaryFile('log');
    const room = await roomOf(box({ LOG: log }));
    const abort = new AbortController();
    const hanging = call(toolIn(room, 'mcp__box__gate'), { file: `${log}.never` }, abort.signal);
    await until(async () => (await linesOf(log)).includes('call gate'));
    abort.abort('user');
    await expect(hanging).rejects.toBe('user');
    await until(async () => (await linesOf(log)).includes('cancelled'));
    expect((await call(toolIn(room, 'mcp__box__echo'), { text: 'on' })).text).toContain('on');
  });

  it('F78 of six silent minutes is not cut when ten are configured', async () => {
    const clock = virtualClock();
    const file = await temporaryFile('gate');
    const room = await roomOf({ box: { ...stdio(TOOLBOX), timeout: 600_000 } }, { clock });
    const running = call(toolIn(room, 'mcp__box__gate'), { file, quiet: true });
    await until(() => clock.pending > 0);
    await clock.advance(6 * 60_000);
    await writeFile(file, '');
    expect((await running).text).toBe('open');

    const silent = call(toolIn(room, 'mcp__box__gate'), { file: `${file}.never`, quiet: true });
    await until(() => clock.pending > 0);
    await clock.advance(10 * 60_000);
    expect((await silent).text).toMatch(/no sign of life for 600 s.*outcome is unknown/);
  });

  it('F79 lives as long as it tells of progress, and ends at the cap all the same', async () => {
    const clock = virtualClock();
    const [file, steps] = [await temporaryFile('never'), await temporaryFile('steps')];
    await writeFile(steps, '.');
    const room = await roomOf({ box: { ...stdio(TOOLBOX), timeout: 600_000 } }, { clock });
    let seconds = 0;
    const gate = toolIn(room, 'mcp__box__gate');
    // One message at a time: several that come together are one sign of life.
    const { text, progress } = await call(gate, { file, steps }, undefined, async () => {
      seconds += 60;
      await clock.advance(60_000);
      await appendFile(steps, '.');
    });
    expect(text).toMatch(/did not end within 3600 s.*outcome is unknown/);
    expect(progress[0]).toMatchObject({ type: 'mcp_progress', message: 'still here' });
    expect(seconds).toBeGreaterThanOrEqual(3_600);
  });

  it('F80 whose server dies says that the outcome is unknown, is not made again, and the server comes back', async () => {
    const log = await temporaryFile('log');
    const room = await roomOf(box({ LOG: log }));
    const tools = room.tools;
    const { output, text } = await call(toolIn(room, 'mcp__box__die'));
    expect(output.isError).toBe(true);
    expect(text).toMatch(/exited with code 3.*about to die.*outcome is unknown.*not repeated/s);
    expect((await call(toolIn(room, 'mcp__box__echo'), { text: 'back' })).text).toContain('back');
    expect(await linesOf(log)).toEqual([
      expect.stringMatching(/^start/),
      'call die',
      expect.stringMatching(/^start/),
      'call echo',
    ]);
    expect(room.tools).toBe(tools);
  });

  it.each([
    ['null', null, '(mcp__crude__odd completed with no output)'],
    ['a number', 7, '7'],
    ['a text', 'words', 'words'],
    ['a list', [1, 2], '[1,2]'],
  ])('F83 whose result is %s is answered', async (_, result, text) => {
    const room = await sharedCrude();
    expect((await call(toolIn(room, 'mcp__crude__odd'), { result })).text).toBe(text);
  });

  it('F83 of 318 000 characters, or of one line of 2 MB, comes whole', async () => {
    const room = await sharedBox();
    for (const chars of [318_000, 2 * 1024 * 1024]) {
      expect((await call(toolIn(room, 'mcp__box__large'), { chars })).text).toHaveLength(chars);
    }
  });
});

describe('a server that cannot be used', () => {
  const BAD: readonly (readonly [string, unknown, RegExp])[] = [
    ['that is not there', { command: 'no-such-program-anywhere' }, /ENOENT/],
    [
      'that ends at once, after a flood of words',
      stdio(CRUDE, ['stderr']),
      /exited with code 1; .*fatal: no database/s,
    ],
    [
      'that is misconfigured',
      { type: 'http', url: 'file:///etc/passwd' },
      /must have an http or https "url"/,
    ],
    ['that names what is not set', stdio(`\${NOT_SET}`), /not set: NOT_SET/],
  ];
  /** Each by its place in the list, and one that is good. */
  const room = shared({
    ...Object.fromEntries(BAD.map(([, config], at) => [`bad-${at}`, config])),
    good: stdio(TOOLBOX),
  });

  it.each(BAD)('%s is failed, with the reason', async (which, _, reason) => {
    const statuses = (await room()).statuses();
    const name = `bad-${BAD.findIndex(([each]) => each === which)}`;
    const bad = statuses.find((status) => status.name === name);
    expect(bad).toMatchObject({ status: 'failed', error: expect.stringMatching(reason) });
    expect(statuses.find((status) => status.name === 'good')).toMatchObject({ status: 'connected' });
    expect(bad?.error?.length).toBeLessThan(1_500);
  });

  it('T117 that never answers is given up when its time is over', async () => {
    const clock = virtualClock();
    const connecting = roomOf({ mute: stdio(CRUDE, ['mute']) }, { clock, startMs: 9_000 });
    const room = await clock.runUntil(connecting);
    await until(() => room.statuses()[0]?.status === 'failed');
    expect(room.statuses()[0]?.error).toContain('within 9 s');
  });

  it('T117 that writes without end and without a line is stopped', async () => {
    const room = await roomOf({ flood: stdio(CRUDE, ['flood']) });
    await until(() => room.statuses()[0]?.status === 'failed' || room.statuses()[0]?.status === 'pending');
    await until(() => room.statuses()[0]?.error);
    expect(room.statuses()[0]?.error).toMatch(/more than 16 MB/);
  });

  it.each([
    ['old', /^It speaks version 1999-01-01 of the protocol; supported are 2025-11-25, 2025-06-18/],
    ['refuses', /^Unsupported protocol version \{"supported":\["1999-01-01"\],"requested":"2025-11-25"\}/],
  ])(
    'that speaks another version of the protocol (%s) fails with the versions of both sides',
    async (how, says) => {
      const room = await roomOf({ crude: stdio(CRUDE, [how]) });
      expect(room.statuses()[0]).toMatchObject({ status: 'failed', error: expect.stringMatching(says) });
    },
  );

  it('that starts, and cannot list its tools, says which of the two', async () => {
    const room = await roomOf({ crude: stdio(CRUDE, ['unlisted']) });
    expect(room.statuses()[0]).toMatchObject({
      status: 'failed',
      error: 'It started, but could not list its tools: fetch failed',
    });
  });

  it.each([
    ['an object', { row: 7, why: ['a', 'b'] }, 'No such row {"row":7,"why":["a","b"]}'],
    ['a text', 'see the log', 'No such row "see the log"'],
    ['null', null, 'No such row null'],
    ['nothing', undefined, 'No such row'],
  ])('whose error carries data (%s): it is shown', async (_, data, shown) => {
    const room = await roomOf({ crude: stdio(CRUDE, ['noise']) });
    const error = { code: -32_000, message: 'No such row', data };
    expect((await call(toolIn(room, 'mcp__crude__odd'), { error })).output).toMatchObject({
      content: shown,
      isError: true,
    });
  });

  it('T117 that prints a banner works', async () => {
    const room = await roomOf({ noise: stdio(CRUDE, ['noise']) });
    expect(room.statuses()[0]).toMatchObject({ status: 'connected' });
  });

  it('F82 that closes its output is shown as lost, and started again', async () => {
    const clock = virtualClock();
    const room = await roomOf({ crude: stdio(CRUDE, ['closes']) }, { clock });
    expect(room.statuses()[0]?.status).toBe('connected');
    await call(toolIn(room, 'mcp__crude__odd'));
    // It stays lost while the clock stands still.
    await until(() => room.statuses()[0]?.error);
    expect(room.statuses()[0]?.status).not.toBe('connected');
    await clock.advance(60_000);
    await until(() => room.statuses()[0]?.status === 'connected');
  });
});

describe('on and off', () => {
  it('a server that is switched off has no tools and no process, and comes back with the same', async () => {
    const log = await temporaryFile('log');
    const room = await roomOf(box({ LOG: log }));
    const names = room.tools.map((tool) => tool.name);
    const echo = toolIn(room, 'mcp__box__echo');
    await room.setEnabled('box', false);
    expect([room.tools, room.commands, room.statuses()[0]?.status]).toEqual([[], [], 'disabled']);
    expect((await call(echo, { text: 'x' })).text).toBe('The MCP server "box" is switched off.');
    await room.setEnabled('box', true);
    expect(room.tools.map((tool) => tool.name)).toEqual(names);
    await room.reconnect('box');
    expect((await linesOf(log)).filter((line) => line.startsWith('start'))).toHaveLength(3);
    await expect(room.reconnect('nobody')).rejects.toThrow('no MCP server "nobody"');
  });

  it('servers can be set while the session runs; the same configuration goes on', async () => {
    const log = await temporaryFile('log');
    const room = await roomOf({});
    const kept = stdio(TOOLBOX, [], { LOG: log });
    expect(await room.setDynamic({ a: kept, b: { command: 'no-such-program' } })).toEqual({
      added: ['a', 'b'],
      removed: [],
      errors: { b: expect.stringContaining('ENOENT') },
    });
    expect(await room.setDynamic({ a: kept })).toEqual({ added: [], removed: ['b'], errors: {} });
    expect(room.tools[0]?.name).toBe('mcp__a__echo');
    expect(await linesOf(log)).toHaveLength(1);
    await room.setDynamic({});
    expect(room.tools).toEqual([]);
  });
});

describe('questions, resources, prompts', () => {
  const form = {
    params: {
      message: 'Who are you?\u202e',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    },
  };

  it('a question is declined without a host to ask', async () => {
    const room = await sharedBox();
    expect((await call(toolIn(room, 'mcp__box__ask'), form)).text).toBe('{"action":"decline"}');
  });

  it('T119 a question reaches the host with the name of the server, and the answer the server', async () => {
    const asked: unknown[] = [];
    const room = await roomOf(box(), {
      elicit: async (question) => {
        asked.push(question);
        return { action: 'accept', content: { name: 'Ada' } };
      },
    });
    const { text } = await call(toolIn(room, 'mcp__box__ask'), form);
    expect(JSON.parse(text)).toEqual({ action: 'accept', content: { name: 'Ada' } });
    expect(asked).toMatchObject([{ serverName: 'box', mode: 'form', message: 'Who are you?' }]);
    const url = (address: string) => ({
      params: { mode: 'url', message: 'Sign in', elicitationId: 'e1', url: address },
    });
    await call(toolIn(room, 'mcp__box__ask'), url('https://example.com/in'));
    expect(asked[1]).toMatchObject({ mode: 'url', url: 'https://example.com/in', elicitationId: 'e1' });
    const refused = await call(toolIn(room, 'mcp__box__ask'), url('file:///etc/passwd'));
    expect([refused.text, asked.length]).toEqual(['{"action":"decline"}', 2]);
  });

  it('resources are listed and read through two tools', async () => {
    const room = await sharedBox();
    const list = await call(toolIn(room, 'ListMcpResourcesTool'), {});
    expect(list.output.data).toEqual([
      { name: 'notes', uri: 'memo://notes', mimeType: 'text/plain', server: 'box' },
    ]);
    const read = toolIn(room, 'ReadMcpResourceTool');
    expect((await call(read, { server: 'box', uri: 'memo://notes' })).text).toBe(
      '{"contents":[{"uri":"memo://notes","text":"remember the milk"}]}',
    );
    expect(await call(read, { server: 'box', uri: 'memo://no' })).toMatchObject({
      text: expect.not.stringContaining('MCP error'),
      output: { isError: true },
    });
    expect((await call(read, { server: 'nobody', uri: 'x' })).text).toContain('These have: box.');
    expect(await read.parse({ server: 'box' })).toMatchObject({ ok: false });
  });

  it('prompts are commands', async () => {
    const room = await sharedBox();
    const [greet] = room.commands;
    expect(greet).toMatchObject({
      name: 'mcp__box__greet',
      description: 'Greets somebody',
      argumentHint: '<who> [how]',
    });
    const { signal } = new AbortController();
    const said = await greet?.run('"Ada L" very warmly', { signal });
    expect(said?.messages).toEqual([[{ type: 'text', text: 'Greet Ada L very warmly' }]]);
    await expect(greet?.run('', { signal })).rejects.toThrow('needs <who>');
  });
});

it('what is written to a file opens a gate', async () => {
  const room = await sharedBox();
  const file = await temporaryFile('gate');
  const running = call(toolIn(room, 'mcp__box__gate'), { file });
  await writeFile(file, '');
  expect((await running).text).toBe('open');
});
