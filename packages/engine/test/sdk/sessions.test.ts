/** The library's session functions, on files and on a store, and going on from an earlier message. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inForm, isLong } from '@turnwright/test/long-form.ts';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as own from '../../src/index.ts';

const WINDOW = 100_000_000;

let server: RehearsalServer;
let home: string;
let cwd: string;
let env: Record<string, string>;
beforeEach(async () => {
  // The model has the window that one of the tests gives it.
  server = await startRehearsal({ windows: { 'claude-sonnet-5': WINDOW } });
  const folder = await mkdtemp(join(tmpdir(), 'turnwright-sessions-'));
  [home, cwd] = [join(folder, 'home'), join(folder, 'work')];
  await mkdir(cwd);
  env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: home };
});
afterEach(async () => {
  await server.close();
  await rm(join(home, '..'), { recursive: true, force: true });
});

async function submit(prompt: string, options: own.Options = {}, replies = [reply(`Answer to ${prompt}.`)]) {
  server.setScenario({ name: 'test', replies });
  const before = server.requests.length;
  const { results, error } = await gather(
    own.query({ prompt, options: { cwd, env, tools: [], ...options } }),
  );
  const body = server.requests.slice(before).at(-1)?.body;
  return { id: results[0]?.session_id ?? '', result: results[0], error, body };
}

/** Its last request as text. */
async function ask(...given: Parameters<typeof submit>) {
  const { body, ...answer } = await submit(...given);
  return { ...answer, sent: JSON.stringify(body) ?? '' };
}

const fileOf = async (id: string) => {
  const names = await readdir(home, { recursive: true });
  return join(home, names.find((name) => name.endsWith(`${id}.jsonl`)) ?? '');
};
const said = (messages: readonly own.SessionMessage[]) =>
  messages.map(({ type, message }) => {
    const { content } = message as { content: string | { text?: string }[] };
    return `${type}: ${typeof content === 'string' ? content : content.map(({ text }) => text ?? '-').join('')}`;
  });

describe('session functions', () => {
  it('tell of a session, page through its messages, name and tag it', async () => {
    const { id } = await ask('one');
    await ask('two', { resume: id });
    expect(await own.getSessionInfo(id, { env })).toMatchObject({
      sessionId: id,
      summary: 'two',
      firstPrompt: 'one',
      cwd,
    });
    const all = await own.getSessionMessages(id, { env });
    expect(said(all)).toEqual([
      'user: one',
      'assistant: Answer to one.',
      'user: two',
      'assistant: Answer to two.',
    ]);
    expect(await own.getSessionMessages(id, { env, offset: 1, limit: 2 })).toEqual(all.slice(1, 3));
    await own.renameSession(id, '  Larches ', { env });
    await own.tagSession(id, 'trees', { env });
    await own.archiveSession(id, { env });
    expect(await own.listSessions({ dir: cwd, env })).toMatchObject([
      { summary: 'Larches', customTitle: 'Larches', tag: 'trees', archived: true },
    ]);
    await own.tagSession(id, null, { env });
    await own.unarchiveSession(id, { env });
    const info = await own.getSessionInfo(id, { env });
    expect(info).toMatchObject({ customTitle: 'Larches', archived: false });
    expect(info).not.toHaveProperty('tag');
    const { sent } = await ask('three', { resume: id });
    expect(sent).toContain('Answer to two.');
  });

  it.runIf(isLong)(
    'of 8 MB and more: resumed with the digest as without it, and it goes with the session',
    async () => {
      const modelOverrides = { 'claude-sonnet-5': { contextWindow: WINDOW, maxOutputTokens: 8_000 } };
      const options = { model: 'claude-sonnet-5', engine: { modelOverrides } };
      // The last is the longest, for every prompt is in all later requests.
      const long = (word: string, times: number) => `${word} `.repeat(times);
      const [first, second, third] = inForm([1, 1, 1_400_000], [200_000, 200_000, 1_300_000]);
      const heard = [reply('Heard.')];
      const { id } = await submit(long('one', first), options, heard);
      await submit(long('two', second), { ...options, resume: id }, heard);
      await submit(long('three', third), { ...options, resume: id }, heard);
      const folder = (await fileOf(id)).slice(0, -'.jsonl'.length);
      const digest = await readFile(join(folder, 'digest.jsonl'));
      const earlier = inForm(['one', 'two', 'three'], ['one', 'two', 'three', 'four']);
      for (const prompt of earlier.slice(3)) {
        const { result } = await submit(prompt, { ...options, resume: id });
        expect(result).toMatchObject({ subtype: 'success' });
      }
      const { sessionId } = await own.forkSession(id, { env });
      const without = await submit('five', { ...options, resume: sessionId });
      const within = await submit('five', { ...options, resume: id });
      const messages = ({ body }: typeof within) => (body as { messages: unknown[] }).messages;
      expect(within.result).toMatchObject({ subtype: 'success' });
      expect(JSON.stringify(messages(within)) === JSON.stringify(messages(without))).toBe(true);
      expect(messages(within).length).toBe(2 * earlier.length + 1);
      expect(server.report()).toMatchObject({ rejected: [], unanswered: [] });
      expect((await readFile(join(folder, 'digest.jsonl'))).equals(digest)).toBe(true);
      await own.deleteSession(id, { env });
      await expect(readFile(join(folder, 'digest.jsonl'))).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );

  it('a name given at the start, and one given while it runs', async () => {
    const { id } = await ask('one', { title: 'First name' });
    expect(await own.getSessionInfo(id, { env })).toMatchObject({ customTitle: 'First name' });
    server.setScenario({ name: 'test', replies: [reply('Ok.')] });
    const running = own.query({ prompt: 'two', options: { cwd, env, tools: [], resume: id } });
    for await (const message of running)
      if (message.type === 'result') await running.renameSession('Second name');
    expect(await own.getSessionInfo(id, { env })).toMatchObject({ customTitle: 'Second name' });
  });

  it('a session that is not there, an empty name and a strange id are refused in a sentence', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    expect(await own.getSessionInfo(id, { env })).toBeUndefined();
    expect(await own.getSessionMessages(id, { env })).toEqual([]);
    expect(await own.listSubagents(id, { env })).toEqual([]);
    // Each is awaited from the start: one that is refused early has somebody to tell.
    const missing = [
      own.renameSession(id, 'x', { env }),
      own.tagSession(id, 'x', { env }),
      own.archiveSession(id, { env }),
      own.deleteSession(id, { env }),
      own.forkSession(id, { env }),
      own.importSessionToStore(id, new own.InMemorySessionStore(), { env }),
    ].map((work) => expect(work).rejects.toMatchObject({ code: 'session_not_found' }));
    await Promise.all(missing);
    const known = (await ask('one')).id;
    const refused = [
      own.renameSession(known, '  ', { env }),
      own.tagSession(known, '', { env }),
      own.renameSession('../x', 'x', { env }),
      own.forkSession(known, { env, upToMessageId: id }),
    ].map((work) => expect(work).rejects.toMatchObject({ code: 'invalid_option' }));
    await Promise.all(refused);
  });

  it('deleteSession leaves nothing of it, and does not touch one that runs', async () => {
    const { id } = await ask('one');
    const other = await ask('two');
    const beside = (await fileOf(id)).slice(0, -'.jsonl'.length);
    await mkdir(join(beside, 'tool-results'), { recursive: true });
    await writeFile(join(beside, 'tool-results', 'x.txt'), 'x');
    server.setScenario({ name: 'test', replies: [reply('Ok.')] });
    for await (const message of own.query({ prompt: 'x', options: { cwd, env, tools: [], resume: id } })) {
      if (message.type === 'result')
        await expect(own.deleteSession(id, { env })).rejects.toMatchObject({ code: 'session_in_use' });
    }
    await own.deleteSession(id, { env });
    const left = (await readdir(home, { recursive: true })).filter((name) => name.includes(id));
    expect(left).toEqual([]);
    expect(await own.listSessions({ env })).toMatchObject([{ sessionId: other.id }]);
  });

  it('forkSession copies up to a message; the copy goes on alone and costs nothing yet', async () => {
    const { id, result } = await ask('one');
    await ask('two', { resume: id });
    const [, answer] = await own.getSessionMessages(id, { env });
    const fork = await own.forkSession(id, { env, upToMessageId: answer?.uuid });
    expect(await own.getSessionInfo(fork.sessionId, { env })).toMatchObject({ customTitle: 'two (fork)' });
    const copied = await own.getSessionMessages(fork.sessionId, { env });
    expect(said(copied)).toEqual(['user: one', 'assistant: Answer to one.']);
    expect(copied.every(({ session_id }) => session_id === fork.sessionId)).toBe(true);
    const known = new Set((await own.getSessionMessages(id, { env })).map(({ uuid }) => uuid));
    expect(copied.some(({ uuid }) => known.has(uuid))).toBe(false);
    const on = await ask('three', { resume: fork.sessionId });
    expect(on.sent).toContain('Answer to one.');
    expect(on.sent).not.toContain('two');
    expect(on.result?.total_cost_usd).toBeCloseTo(result?.total_cost_usd ?? 0, 2);
  });

  it('subagents are read from their own transcripts', async () => {
    const { id } = await ask('one');
    const folder = join((await fileOf(id)).slice(0, -'.jsonl'.length), 'subagents');
    await mkdir(folder, { recursive: true });
    const common = { isSidechain: true, sessionId: id, cwd, timestamp: '2026-01-01T00:00:00.000Z' };
    const lines = [
      { ...common, type: 'user', uuid: 'a1', parentUuid: null, message: { role: 'user', content: 'Look.' } },
      {
        ...common,
        type: 'assistant',
        uuid: 'a2',
        parentUuid: 'a1',
        message: { id: 'm', role: 'assistant', content: [{ type: 'text', text: 'Seen.' }] },
      },
    ];
    await writeFile(join(folder, 'agent-k7.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'));
    await writeFile(join(folder, 'agent-k7.meta.json'), JSON.stringify({ toolUseId: 'toolu_9' }));
    expect(await own.listSubagents(id, { env })).toEqual(['k7']);
    const messages = await own.getSubagentMessages(id, 'k7', { env });
    expect(said(messages)).toEqual(['user: Look.', 'assistant: Seen.']);
    expect(messages[0]).toMatchObject({ parent_tool_use_id: 'toolu_9', parent_agent_id: null });
    expect(await own.getSubagentMessages(id, 'none', { env })).toEqual([]);
    const store = new own.InMemorySessionStore();
    await own.importSessionToStore(id, store, { env, batchSize: 2 });
    expect(said(await own.getSubagentMessages(id, 'k7', { dir: cwd, sessionStore: store }))).toHaveLength(2);
  });

  it('the same functions work on a store, also one that changes the order of keys', async () => {
    const { id } = await ask('one');
    await ask('two', { resume: id });
    const store = new own.InMemorySessionStore();
    const load = store.load.bind(store);
    store.load = async (key) => (await load(key))?.map(sorted) ?? null;
    await own.importSessionToStore(id, store, { env });
    await own.importSessionToStore(id, store, { env });
    const at = { dir: cwd, sessionStore: store };
    const texts = ['user: one', 'assistant: Answer to one.', 'user: two', 'assistant: Answer to two.'];
    expect(said(await own.getSessionMessages(id, at))).toEqual(texts);
    await own.renameSession(id, 'In a store', at);
    expect(await own.listSessions(at)).toMatchObject([{ sessionId: id, customTitle: 'In a store' }]);
    expect(await own.getSessionInfo(id, at)).toMatchObject({ customTitle: 'In a store', firstPrompt: 'one' });
    const fork = await own.forkSession(id, { ...at, title: 'Copy' });
    expect(said(await own.getSessionMessages(fork.sessionId, at))).toEqual(texts);
    await expect(own.archiveSession(id, at)).rejects.toMatchObject({ code: 'invalid_option' });
    await own.deleteSession(id, at);
    expect(await own.listSessions(at)).toMatchObject([{ sessionId: fork.sessionId }]);
  });
});

function sorted(entry: own.SessionStoreEntry): own.SessionStoreEntry {
  return Object.fromEntries(Object.entries(entry).sort()) as own.SessionStoreEntry;
}

describe('resume at a message', () => {
  async function threeTurns() {
    const { id } = await ask('one');
    await ask('two', { resume: id }, [reply(toolUse('TodoWrite', { todos: [] })), reply('Answer to two.')]);
    await ask('three', { resume: id });
    return { id, messages: await own.getSessionMessages(id, { env }) };
  }
  const uuidOf = (messages: readonly own.SessionMessage[], text: string) =>
    messages.find((message) => JSON.stringify(message).includes(text))?.uuid;

  it('what came after it is in no later request, nor read; the file only grows', async () => {
    const { id, messages } = await threeTurns();
    const before = await readFile(await fileOf(id), 'utf8');
    const resumeSessionAt = uuidOf(messages, 'Answer to one.');
    const on = await ask('four', { resume: id, resumeSessionAt });
    expect(on.sent).toContain('Answer to one.');
    for (const gone of ['two', 'three']) expect(on.sent).not.toContain(gone);
    const again = await ask('five', { resume: id });
    expect(again.sent).toContain('Answer to four.');
    for (const gone of ['two', 'three']) expect(again.sent).not.toContain(gone);
    expect(said(await own.getSessionMessages(id, { env })).map((text) => text.split(': ')[1])).toEqual([
      'one',
      'Answer to one.',
      'four',
      'Answer to four.',
      'five',
      'Answer to five.',
    ]);
    expect((await readFile(await fileOf(id), 'utf8')).startsWith(before)).toBe(true);
    // What was spent is spent.
    expect(again.result?.total_cost_usd).toBeGreaterThan((await ask('x')).result?.total_cost_usd ?? 0);
  });

  it('with a fork the old session stays as it was; the fork takes the id it is given', async () => {
    const { id, messages } = await threeTurns();
    const before = await readFile(await fileOf(id), 'utf8');
    const sessionId = '44444444-4444-4444-8444-444444444444';
    const options = {
      resume: id,
      forkSession: true,
      sessionId,
      resumeSessionAt: uuidOf(messages, 'Answer to one.'),
    };
    const fork = await ask('four', options);
    expect(fork.id).toBe(sessionId);
    expect(fork.sent).not.toContain('two');
    expect(await readFile(await fileOf(id), 'utf8')).toBe(before);
    expect((await ask('five', { resume: fork.id })).sent).not.toContain('two');
    expect((await ask('again', options)).result).toMatchObject({ is_error: true });
  });

  it('refuses a message that is not there, and writes nothing', async () => {
    const { id } = await threeTurns();
    const before = await readFile(await fileOf(id), 'utf8');
    const { result } = await ask('four', { resume: id, resumeSessionAt: 'nowhere' });
    expect(result).toMatchObject({
      is_error: true,
      errors: [expect.stringContaining('No message found with message.uuid of: nowhere')],
    });
    expect(await readFile(await fileOf(id), 'utf8')).toBe(before);
  });

  it('resumeDropsTurn lets exactly that turn go', async () => {
    const { id, messages } = await threeTurns();
    const at = uuidOf(messages, 'Answer to two.');
    const three = uuidOf(messages, '"three"');
    const before = await readFile(await fileOf(id), 'utf8');
    const rejected = /^Resume rejected by --resume-drops-turn: /;
    for (const [resumeSessionAt, resumeDropsTurn] of [
      [uuidOf(messages, 'Answer to one.'), uuidOf(messages, '"two"')],
      [uuidOf(messages, 'Answer to one.'), three],
      [at, uuidOf(messages, '"one"')],
      [at, 'nowhere'],
    ]) {
      const lines: string[] = [];
      const stderr = (line: string) => lines.push(line);
      const { result } = await ask('four', { resume: id, resumeSessionAt, resumeDropsTurn, stderr });
      expect(result).toMatchObject({
        subtype: 'error_during_execution',
        errors: [expect.stringMatching(rejected)],
      });
      expect(lines).toEqual([expect.stringMatching(rejected)]);
      expect(await readFile(await fileOf(id), 'utf8')).toBe(before);
    }
    const on = await ask('four', { resume: id, resumeSessionAt: at, resumeDropsTurn: three });
    expect(on.result).toMatchObject({ is_error: false });
    expect(on.sent).toContain('Answer to two.');
    expect(on.sent).not.toContain('three');
  });
});
