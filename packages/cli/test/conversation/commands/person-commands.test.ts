/** `/theme` and `/login`: what belongs to the person, and not to one session. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from '@turnwright/engine';
import {
  commandsUnderTest,
  type Harness,
  type HarnessOptions,
} from '@turnwright/test/conversation/commands/command-under-test.ts';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { afterEach, describe, expect, test } from 'vitest';
import { startingState } from '../../../src/conversation/conversation-state.ts';

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});
const stage = async (options: HarnessOptions = {}) => {
  harness = await commandsUnderTest(options);
  return harness;
};
const text = (lines: readonly string[]) => lines.join(' ');

describe('/theme', () => {
  const settingsOf = ({ home }: Harness) => JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8'));

  test('takes a name, now and for the conversations that follow', async () => {
    const it = await stage();
    await it.run('/theme light');
    expect(it.themes).toEqual(['light']);
    expect(settingsOf(it)).toEqual({ theme: 'light' });
    expect(text(it.printed)).toContain('The theme is light: for a light background. It is kept in');
  });

  test('without a name it shows which there are, and which one it is', async () => {
    const it = await stage();
    await it.run('/theme', ['down', 'enter']);
    expect(it.screens[0]).toMatch(/auto .*\n.*dark +for a dark background/);
    expect(it.themes).toEqual(['dark']);
    await it.run('/theme', ['escape']);
    expect(it.themes).toEqual(['dark']);
  });

  test('says when it cannot be kept, and which names there are', async () => {
    const it = await stage({ options: { settingSources: [] } });
    await it.run('/theme none');
    expect(it.themes).toEqual(['none']);
    expect(text(it.printed)).toContain('It is for this conversation alone');
    await it.run('/theme solarized');
    expect(text(it.printed)).toContain('It is one of auto, dark, light, basic, none.');
    expect(it.themes).toEqual(['none']);
    expect(await it.complete('/theme l')).toEqual(['/theme light']);
  });
});

describe('/login', () => {
  const at = ({ state }: Harness, id: string) => {
    state.current = { ...state.current, session: { ...state.current.session, id } };
  };
  const logins = ({ home }: Harness) => join(home, 'logins.json');

  test('checks and stores a key that is not shown, and goes on with the same session by it', async () => {
    const it = await stage({ hasNoKey: true });
    at(it, randomUUID());
    it.server.setScenario({ name: 'login', replies: [reply('Fine.')] });
    await it.run('/login', ["'a-secret-key", 'enter']);
    expect(text(it.screens)).toContain(`API key for ${it.server.url}`);
    expect(text([...it.printed, ...it.screens])).not.toContain('a-secret-key');
    expect(text(it.printed)).toContain('accepts it. It is stored in');
    expect(it.reopened).toEqual([{ isQuiet: true }]);
  });

  test('resumes a session that has records', async () => {
    const it = await stage({ hasNoKey: true });
    const { cwd, env, server } = it;
    server.setScenario({ name: 'before', replies: [reply('Hi.'), reply('Fine.')] });
    const options = { cwd, env: { ...env, ANTHROPIC_API_KEY: 'k' }, tools: [] };
    const { results } = await gather(query({ prompt: 'hello', options }));
    at(it, results[0]?.session_id ?? '');
    await it.run('/login', ["'a-secret-key", 'enter']);
    expect(it.reopened).toEqual([{ resume: results[0]?.session_id, isQuiet: true }]);
  });

  test('says that the environment has a key, which is used before it', async () => {
    const it = await stage();
    await it.run('/login', ["'a-secret-key", 'enter']);
    expect(text(it.printed)).toContain('ANTHROPIC_API_KEY is set too, and is used before it.');
    expect(it.reopened).toEqual([]);
  });

  test('Esc stores nothing, and neither does what is no key', async () => {
    const it = await stage({ hasNoKey: true });
    await it.run('/login', ["'abc", 'escape']);
    expect(it.printed).toEqual([]);
    await it.run('/login', ["'two words", 'enter']);
    expect(text(it.printed)).toContain('Nothing is stored.');
    await it.run('/login ftp://example.org');
    expect(text(it.printed)).toContain('must be an absolute http or https URL');
    expect(it.reopened).toEqual([]);
    expect(existsSync(logins(it))).toBe(false);
  });

  test('waits until the session does', async () => {
    const it = await stage({ hasNoKey: true });
    it.state.current = { ...startingState(0, { cwd: it.cwd }), phase: 'streaming' };
    await it.run('/login');
    expect(text(it.printed)).toContain('The session works.');
    expect(it.screens).toEqual([]);
  });
});
