import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { type HookCallback, type Options, query } from '../../src/index.ts';

async function run(hook: HookCallback, options: Options = {}) {
  const cwd = await mkdtemp(join(tmpdir(), 'turnwright-display-'));
  const server = await startRehearsal();
  server.setScenario({
    name: 'case',
    replies: [reply(['Looking.', toolUse('Bash', { command: 'true' })]), reply('The key is 1234.')],
  });
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, ANTHROPIC_API_KEY: 'sk-test' };
  const running = query({
    prompt: 'Go.',
    options: {
      cwd,
      env: { ...env, ANTHROPIC_BASE_URL: server.url },
      persistSession: false,
      allowedTools: ['Bash'],
      hooks: { MessageDisplay: [{ hooks: [hook] }] },
      ...options,
    },
  });
  const { messages, results } = await gather(running);
  const bodies = server.requests.map(({ body }) => JSON.stringify(body));
  await server.close();
  await rm(cwd, { recursive: true, force: true });
  const texts = messages.flatMap((message) =>
    message.type === 'assistant'
      ? message.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      : [],
  );
  return { messages, results, texts, bodies };
}

it('MessageDisplay shows another text, in messages and in the result; the model keeps its own', async () => {
  const seen: Record<string, unknown>[] = [];
  const { messages, results, texts, bodies } = await run(async (event) => {
    seen.push(event);
    const displayContent = String(event['delta']).replace(/\d+/, '****');
    return { hookSpecificOutput: { hookEventName: 'MessageDisplay', displayContent } };
  });
  expect(texts).toEqual(['Looking.', 'The key is ****.']);
  expect(results).toMatchObject([{ result: 'The key is ****.' }]);
  expect(bodies.at(-1)).toContain('Looking.');
  const shown = messages.filter(({ type }) => type === 'assistant').map(({ uuid }) => uuid);
  expect(seen).toMatchObject([
    { index: 0, final: true, delta: 'Looking.', message_id: shown[0] },
    { index: 0, final: true, delta: 'The key is 1234.', message_id: shown.at(-1) },
  ]);
  expect(new Set(seen.map((event) => event['turn_id'])).size).toBe(1);
  expect(seen[0]).not.toHaveProperty('permission_mode');
});

it('a hook without an opinion, or one that fails, changes nothing', async () => {
  const silent = await run(async () => ({}));
  expect(silent.texts).toEqual(['Looking.', 'The key is 1234.']);
  const failing = await run(async () => {
    throw new Error('no');
  });
  expect(failing.results).toMatchObject([{ result: 'The key is 1234.' }]);
});
