import { sessionContext } from '@turnwright/engine';
import { rehearse } from '@turnwright/test/scenarios/rehearse.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';
import { contextText, runContextCommand } from '../src/commands/context-command.ts';
import type { World } from '../src/world.ts';

test('draws what fills the context of a session that is kept in files', async () => {
  const run = await rehearse({
    files: { 'long.txt': 'A line of a long file.\n'.repeat(1_500) },
    replies: [reply(toolUse('Read', { file_path: 'long.txt' })), reply('Read.')],
    options: {
      systemPrompt: 'You are a test, and you like to be told so in a sentence or two.',
      engine: { modelOverrides: { 'claude-opus-5-5': { contextWindow: 100_000 } } },
    },
  });
  const place = { cwd: run.cwd, env: { TURNWRIGHT_HOME: run.home } };
  let written = '';
  const out = {
    async write(text: string) {
      written += text;
    },
  };
  const world = { ...place, out };
  expect(await runContextCommand(world as unknown as World, undefined)).toBe(0);

  const usage = await sessionContext(run.sessionId, place);
  expect(written).toBe(`${contextText(usage)}\n`);
  const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } =
    run.decisions.at(-1)?.usage ?? {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    };
  expect(usage.totalTokens).toBe(
    input_tokens + output_tokens + cache_creation_input_tokens + cache_read_input_tokens,
  );
  expect(usage.rawMaxTokens).toBe(100_000);
  const [title, , bar] = written.split('\n');
  expect(title).toMatch(/^claude-opus-5-5: [\d,]+ of 100,000 tokens in use \(\d+ %\)$/);
  expect(bar).toMatch(/^ {2}\[.{60}\]$/u);
  for (const name of ['System prompt', 'Tools', 'Tool results', 'Free space', 'Compaction buffer'])
    expect(written).toMatch(new RegExp(`${name} +[\\d,]+ +[\\d.]+ %`));
  expect(written).toMatch(/Read +[\d,]+/);
});

test('a session that is not there', async () => {
  const place = { cwd: '/nowhere', env: { TURNWRIGHT_HOME: '/nowhere/home' } };
  await expect(sessionContext('nope', place)).rejects.toThrow('There is no session nope');
});
