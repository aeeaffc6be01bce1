/** Commands that people know from elsewhere: each gets a sentence, in the conversation and in a run. */

import { say, scriptedModel } from '@turnwright/testing';
import { expect, test } from 'vitest';
import { commandAdvice, query } from '../../src/index.ts';

/** Those of Claude Code at a terminal, without the ones that are here. */
const KNOWN =
  'add-dir agents bashes branch btw bug config diff doctor exit export feedback fork hooks ide install-github-app keybindings login logout mcp memory output-style passes permissions plan plugin pr-comments privacy-settings release-notes rename resume review rewind sandbox security-review settings share stats status statusline tasks terminal-setup theme todos update upgrade version vim'.split(
    ' ',
  );

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
])('%s in a run is answered without the model', async (prompt, said) => {
  expect(await answerTo(prompt)).toMatch(said);
});

test.each([
  '/nosuch thing',
  '/review',
  '/usr/bin is full',
  '/plan\nthree lines\nof text',
  'what does /config do?',
])('%s goes to the model', async (prompt) => {
  expect(await answerTo(prompt)).toBe('The model was asked.');
});

test('/init asks the model to write CLAUDE.md', async () => {
  expect(await answerTo('/init the tests')).toBe('The model was asked.');
});
