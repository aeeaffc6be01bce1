/** A host's session store: a second copy behind the local write, and the place to resume from. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { virtualClock } from '@turnwright/testing';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as own from '../../src/index.ts';
import { createStoreMirror } from '../../src/session/host-store/store-mirror.ts';

let server: RehearsalServer;
let folder: string;
beforeEach(async () => {
  server = await startRehearsal();
  folder = await mkdtemp(join(tmpdir(), 'turnwright-store-test-'));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** A machine: a home of its own; the working directory has the same path on each. */
async function host(name: string, settings: object = {}) {
  const home = join(folder, name);
  const cwd = join(folder, 'work');
  await mkdir(home, { recursive: true });
  await mkdir(cwd, { recursive: true });
  await writeFile(join(home, 'settings.json'), JSON.stringify(settings));
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: home };
  return { home, cwd, env, settingSources: ['user' as const] };
}
type Host = Awaited<ReturnType<typeof host>>;

async function ask(
  { cwd, env, settingSources }: Host,
  prompt: string,
  options: own.Options,
  replies = [reply(`Answer to ${prompt}.`)],
) {
  server.setScenario({ name: 'test', replies });
  const before = server.requests.length;
  const gathered = await gather(
    own.query({ prompt, options: { cwd, env, settingSources, tools: [], ...options } }),
  );
  const [result] = gathered.results;
  const bodies = server.requests.slice(before).map(({ body }) => body as Readonly<Record<string, unknown>>);
  return {
    ...gathered,
    result,
    id: result?.session_id ?? '',
    bodies,
    init: gathered.messages.find(({ type }) => type === 'system'),
  };
}

const linesOf = async (file: string) =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as own.SessionStoreEntry);
const projectKeyOf = ({ cwd }: Host) => cwd.replaceAll(/[^a-zA-Z0-9]/g, '-');

describe('sessionStore', () => {
  it('has every entry of the local file when the result is shown, in order', async () => {
    const a = await host('a');
    const store = new own.InMemorySessionStore();
    for (const sessionStoreFlush of ['batched', 'eager'] as const) {
      server.setScenario({ name: 'test', replies: [reply('Ok.')] });
      const { cwd, env } = a;
      const running = own.query({
        prompt: 'Go.',
        options: { cwd, env, tools: [], sessionStore: store, sessionStoreFlush },
      });
      for await (const message of running) {
        if (message.type !== 'result') continue;
        const sessionId = message.session_id;
        const local = await linesOf(join(own.sessionsDirectory(a.home, cwd), `${sessionId}.jsonl`));
        const stored = store.getEntries({ projectKey: projectKeyOf(a), sessionId });
        expect(stored).toEqual(local.filter(({ type }) => type !== 'takeover'));
      }
    }
    expect(store.size).toBe(2);
  });

  it('F129 resume through the store on another host: same tools, settings, permissions and conversation', async () => {
    const settings = { permissions: { allow: ['Bash(echo larch:*)'], deny: ['Write'] }, model: 'haiku' };
    const [a, b] = [await host('a', settings), await host('b', settings)];
    const store = new own.InMemorySessionStore();
    const load = store.load.bind(store);
    store.load = async (key) =>
      (await load(key))?.map(
        (entry) => Object.fromEntries(Object.entries(entry).sort()) as own.SessionStoreEntry,
      ) ?? null;
    const options = { sessionStore: store, tools: ['Bash', 'Read'], systemPrompt: 'Be brief.' };
    const calls = [reply(toolUse('Bash', { command: 'echo larch' })), reply('It is larch.')];
    const first = await ask(a, 'one', options, calls);
    const second = await ask(b, 'two', { ...options, resume: first.id }, calls);
    expect(second.id).toBe(first.id);
    for (const field of ['model', 'system', 'tools'] as const)
      expect(JSON.stringify(second.bodies[0]?.[field])).toBe(JSON.stringify(first.bodies[0]?.[field]));
    const { tools, permissionMode } = first.init as own.SDKSystemInit;
    expect(second.init).toMatchObject({ tools, permissionMode });
    expect(JSON.stringify(second.bodies[0]?.['messages'])).toContain('It is larch.');
    expect(second.result).toMatchObject({ permission_denials: [], is_error: false });
    expect(second.result?.total_cost_usd).toBeGreaterThan(first.result?.total_cost_usd ?? 0);
    // Nothing of it stays on the second host, all of it is in the store.
    expect((await readdir(b.home, { recursive: true })).filter((name) => name.endsWith('.jsonl'))).toEqual(
      [],
    );
    const third = await ask(a, 'three', { ...options, continue: true });
    expect(third.id).toBe(first.id);
    const sent = JSON.stringify(third.bodies[0]?.['messages']);
    for (const text of ['one', 'two']) expect(sent).toContain(text);
  });

  it("F130 tenant A's key with tenant B's session id: not found, and nothing asked of the model", async () => {
    const [a, b] = [await host('a'), { ...(await host('b')), cwd: folder }];
    const store = new own.InMemorySessionStore();
    const { id } = await ask(b, "B's secret", { sessionStore: store });
    const asked = server.requests.length;
    const { result } = await ask(a, 'Tell me.', { sessionStore: store, resume: id });
    expect(result).toMatchObject({
      is_error: true,
      errors: [expect.stringContaining('No conversation found with session ID: ')],
    });
    expect(server.requests.length).toBe(asked);
    const at = { dir: a.cwd, sessionStore: store };
    expect(await own.getSessionMessages(id, at)).toEqual([]);
    expect(await own.getSessionInfo(id, at)).toBeUndefined();
    await expect(own.renameSession(id, 'x', at)).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it('F128 a store that refuses costs a mirror_error, not the run', async () => {
    const a = await host('a');
    let calls = 0;
    const store: own.SessionStore = {
      async append() {
        calls += 1;
        throw new Error('disk on fire');
      },
      load: async () => null,
    };
    const lines: string[] = [];
    const { result, messages } = await ask(a, 'one', {
      sessionStore: store,
      stderr: (line) => lines.push(line),
    });
    expect(result).toMatchObject({ is_error: false, result: 'Answer to one.' });
    expect(calls).toBeGreaterThanOrEqual(3);
    const told = messages.filter(
      (message) => message.type === 'system' && message.subtype === 'mirror_error',
    );
    expect(told).toMatchObject([
      { error: 'disk on fire', key: { projectKey: projectKeyOf(a), sessionId: result?.session_id } },
    ]);
    expect(lines.join()).toContain('disk on fire');
  });

  it('a store that does not answer a load fails the resume in a sentence, after loadTimeoutMs', async () => {
    const a = await host('a');
    const store = { append: async () => {}, load: () => new Promise<null>(() => {}) };
    const { result } = await ask(a, 'x', { sessionStore: store, resume: 'abc', loadTimeoutMs: 5 });
    expect(result).toMatchObject({
      is_error: true,
      errors: [expect.stringContaining('took more than 5 ms')],
    });
  });

  it('needs session files', async () => {
    const { cwd, env } = await host('a');
    const options = { cwd, env, sessionStore: new own.InMemorySessionStore(), persistSession: false };
    const { error } = await gather(own.query({ prompt: 'x', options }));
    expect(error).toMatchObject({ code: 'invalid_option' });
  });
});

describe('the mirror', () => {
  const key = { projectKey: 'p', sessionId: 's' };
  const entry = (n: number) => ({ type: 'user', uuid: `u${n}`, seq: n });

  function mirrorTo(
    append: (batch: readonly { uuid?: string }[]) => Promise<void>,
    flush: own.SessionStoreFlush = 'batched',
  ) {
    const clock = virtualClock();
    const errors: string[] = [];
    const batches: string[][] = [];
    const store = {
      load: async () => null,
      async append(_: unknown, entries: own.SessionStoreEntry[]) {
        batches.push(entries.map(({ uuid }) => uuid ?? ''));
        await append(entries);
      },
    };
    /** What is in the session's file. */
    const written: own.SessionStoreEntry[] = [];
    const noted: unknown[] = [];
    const mirror = createStoreMirror({
      store,
      flush,
      clock,
      async *entriesAfter(_, after) {
        const rest = written.filter(({ seq }) => Number(seq) > after);
        if (rest.length > 0) yield rest;
      },
      onBehind: (acknowledged) => noted.push(acknowledged),
      onError: (error) => errors.push(error),
    });
    const push = (...entries: own.SessionStoreEntry[]) => {
      written.push(...entries);
      mirror.push(key, entries);
    };
    return { clock, errors, batches, mirror, push, noted };
  }

  it('gathers for 100 ms; eager does not', async () => {
    const batched = mirrorTo(async () => {});
    for (const n of [1, 2, 3]) batched.mirror.push(key, [entry(n)]);
    expect(batched.batches).toEqual([]);
    await batched.clock.advance(100);
    await batched.mirror.flush();
    expect(batched.batches).toEqual([['u1', 'u2', 'u3']]);
    const eager = mirrorTo(async () => {}, 'eager');
    for (const n of [1, 2]) eager.mirror.push(key, [entry(n)]);
    await eager.mirror.flush();
    expect(eager.batches).toEqual([['u1'], ['u2']]);
  });

  it('F128 tries three times; then all that follows is sent from the file once the store works again', async () => {
    let failures = 4;
    const { clock, errors, batches, mirror, push, noted } = mirrorTo(async () => {
      if (failures-- > 0) throw new Error('no');
    });
    push(entry(4));
    const first = mirror.flush();
    await clock.advance(1_000);
    await first;
    expect(batches).toEqual([['u4'], ['u4'], ['u4']]);
    expect(noted).toEqual([{ '': 3 }]);
    push(entry(5), { type: 'agent_metadata' });
    push(entry(6));
    // In between there is one attempt every five seconds, without the consumer.
    await clock.advance(10_000);
    await mirror.flush();
    expect(batches.slice(3)).toEqual([['u4', 'u5', 'u6'], ['u4', 'u5', 'u6'], ['']]);
    expect(errors).toEqual(['no']);
    expect(noted).toEqual([{ '': 3 }, {}]);
    push(entry(7));
    expect(await mirror.close()).toBe(true);
    expect(batches.at(-1)).toEqual(['u7']);
  });

  it('F128 what is written while a late part is on its way follows it', async () => {
    let isDown = true;
    const meanwhile: (() => void)[] = [];
    const { clock, batches, mirror, push } = mirrorTo(async () => {
      if (isDown) throw new Error('no');
      meanwhile.shift()?.();
    });
    push(entry(1));
    const first = mirror.flush();
    await clock.advance(1_000);
    await first;
    isDown = false;
    meanwhile.push(() => push(entry(2)));
    await mirror.flush();
    await clock.advance(100);
    await mirror.flush();
    expect(batches.slice(3)).toEqual([['u1'], ['u2']]);
  });

  it('F128 a call that hangs is given up after 60 s and not made again', async () => {
    const { clock, errors, batches, mirror } = mirrorTo(() => new Promise(() => {}));
    mirror.push(key, [entry(1)]);
    const flushed = mirror.flush();
    await clock.advance(60_000);
    await flushed;
    expect(batches).toHaveLength(1);
    expect(errors).toEqual([expect.stringContaining('60 s')]);
  });
});
