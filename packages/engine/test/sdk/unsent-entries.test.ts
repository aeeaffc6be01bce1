/** F128: what a host's store refused is sent later, from the session's own file: within the run, or before a resume. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { type RehearsalServer, reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as own from '../../src/index.ts';

let server: RehearsalServer;
let home: string;
let isDown: boolean;
let store: own.InMemorySessionStore;
beforeEach(async () => {
  server = await startRehearsal();
  home = await mkdtemp(join(tmpdir(), 'turnwright-unsent-'));
  isDown = false;
  store = new own.InMemorySessionStore();
});
afterEach(async () => {
  await server.close();
  await rm(home, { recursive: true, force: true });
});

const failing: own.SessionStore = {
  load: (key) => store.load(key),
  listSubkeys: (key) => store.listSubkeys(key),
  async append(key, entries) {
    if (isDown) throw new Error('the store is down');
    await store.append(key, entries);
  },
};

async function ask(prompt: string, options: own.Options = {}) {
  server.setScenario({ name: 'test', replies: [reply(`Answer to ${prompt}.`)] });
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: home };
  const { results, error, messages } = await gather(
    own.query({
      prompt,
      options: { cwd: home, env, settingSources: [], tools: [], sessionStore: failing, ...options },
    }),
  );
  if (error !== undefined && results.length === 0) throw error;
  const told = messages.filter((message) => message.type === 'system' && message.subtype === 'mirror_error');
  return { result: results[0], id: results[0]?.session_id ?? '', told: told.length };
}

const folder = () => own.sessionsDirectory(home, home);
const keyOf = (sessionId: string) => ({ projectKey: home.replaceAll(/[^a-zA-Z0-9]/g, '-'), sessionId });
const identityOf = ({ uuid, seq }: own.SessionStoreEntry) => uuid ?? seq;
const storedIn = async (id: string) => ((await store.load(keyOf(id))) ?? []).map(identityOf);
const writtenIn = async (file: string) =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as own.SessionStoreEntry)
    .filter(({ type }) => type !== 'takeover')
    .map(identityOf);
const unsent = async () => (await readdir(folder())).filter((name) => name.endsWith('.unsent.json'));

describe('F128 a store that was down for a whole run', () => {
  it('gets everything, in order and once, before the session is resumed', async () => {
    isDown = true;
    const { id, told } = await ask('one');
    expect(told).toBe(1);
    expect(await storedIn(id)).toEqual([]);
    expect(await unsent()).toEqual([`${id}.unsent.json`]);
    const first = await writtenIn(join(folder(), `${id}.jsonl`));

    isDown = false;
    const { result } = await ask('two', { resume: id });
    expect(result).toMatchObject({ is_error: false, result: 'Answer to two.' });
    expect((await storedIn(id)).slice(0, first.length)).toEqual(first);
    expect(new Set(await storedIn(id)).size).toBe((await storedIn(id)).length);
    expect(await unsent()).toEqual([]);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Answer to one.');
  });

  it('gets what a resumed session wrote, too, whose files were temporary', async () => {
    const { id } = await ask('one');
    isDown = true;
    await ask('two', { resume: id });
    const { directory } = JSON.parse(await readFile(join(folder(), `${id}.unsent.json`), 'utf8')) as {
      directory: string;
    };
    const written = await writtenIn(join(directory, `${id}.jsonl`));
    isDown = false;
    const { result } = await ask('three', { resume: id });
    expect(result).toMatchObject({ is_error: false, result: 'Answer to three.' });
    expect((await storedIn(id)).slice(0, written.length)).toEqual(written);
    expect(existsSync(directory)).toBe(false);
    expect(await unsent()).toEqual([]);
  });

  it('is not resumed while it is still down', async () => {
    isDown = true;
    const { id } = await ask('one');
    const { result } = await ask('two', { resume: id });
    expect(result).toMatchObject({
      is_error: true,
      errors: [expect.stringMatching(/only on this machine could not be sent .*: the store is down\./)],
    });
  });

  it('is not mixed with what another machine wrote since then', async () => {
    isDown = true;
    const { id } = await ask('one');
    await store.append(keyOf(id), [{ type: 'user', uuid: 'elsewhere', seq: 99 }]);
    isDown = false;
    const { result } = await ask('two', { resume: id });
    expect(result).toMatchObject({
      is_error: true,
      errors: [expect.stringMatching(/the store has later entries from elsewhere/)],
    });
    expect(await storedIn(id)).toEqual(['elsewhere']);
  });
});
