/** Commands that people know from elsewhere: each gets a sentence, in the conversation and in a run. */

import { say, scriptedModel } from '@turnwright/testing';
import { reply } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';
import { commandAdvice, query, sessionPrompts } from '../../src/index.ts';
import { projectUnderTest } from '../memory/project-under-test.ts';

/** Those that are nowhere here, and known at a terminal alone: the conversation has a test of the whole list. */
const KNOWN =
  'advisor background bug fast ide plugin security-review stats teleport upgrade verify vim'.split(' ');

async function answerTo(prompt: string) {
  const model = scriptedModel([say('The model was asked.')]);
  for await (const message of query({
    prompt,
    options: { engine: { callModel: model.callModel }, persistSession: false },
  }))
    if (message.type === 'result' && message.subtype === 'success') return message.result;
  return undefined;
}

test.each(KNOWN)('/%s has a sentence that says what to do', async (name) => {
  expect(await commandAdvice(name)).toMatch(/\.$/);
});

test.each([
  ['/config', /^\/config is no command of this session\. Settings are files/],
  ['/vim', /Ctrl\+G/],
  ['/output-style explanatory', /outputStyle/],
  ['/logout', /turnwright logout/],
  ['/tasks', /the model stops background work/],
])('%s in a run is answered without the model', async (prompt, said) => {
  expect(await answerTo(prompt)).toMatch(said);
});

test.each([
  '/nosuch thing',
  '/security-review',
  '/usr/bin is full',
  '/plan\nthree lines\nof text',
  'what does /config do?',
])('%s goes to the model', async (prompt) => {
  expect(await answerTo(prompt)).toBe('The model was asked.');
});

test('/init asks the model to write CLAUDE.md', async () => {
  expect(await answerTo('/init the tests')).toBe('The model was asked.');
});

test.each([
  ['/review', /uncommitted changes/],
  ['/review 42', /pull request 42: read it with `gh pr view`/],
  ['/review #42 the locks', /pull request 42[\s\S]*What matters most: the locks/],
  ['/code-review main..HEAD', /what is named here: main\.\.HEAD/],
])('%s asks the model for a review', async (prompt, asked) => {
  const model = scriptedModel([say('Nothing to say.')]);
  const options = { engine: { callModel: model.callModel }, persistSession: false } as const;
  for await (const _ of query({ prompt, options }));
  expect(JSON.stringify(model.requests[0]?.view)).toMatch(asked);
});

test('a review is one of the prompts of its session as it was typed', async () => {
  const { server, cwd, home, folder } = await projectUnderTest();
  server.setScenario({ name: 'review', replies: [reply('Nothing to say.')] });
  const env = { PATH: process.env['PATH'], HOME: folder, TURNWRIGHT_HOME: home };
  const keys = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test' };
  let sessionId = '';
  for await (const message of query({
    prompt: '/review #42 the locks',
    options: { cwd, env: { ...env, ...keys } },
  }))
    sessionId = message.session_id ?? sessionId;
  const prompts = await sessionPrompts(sessionId, { env });
  expect(prompts.map(({ text }) => text)).toEqual(['/review #42 the locks']);
});
