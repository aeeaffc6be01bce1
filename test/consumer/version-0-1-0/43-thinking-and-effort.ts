// How hard the model thinks, and whether its thoughts are shown.
import assert from 'node:assert/strict';
import { query } from 'turnwright';
import { reply, startRehearsal, thinking } from 'turnwright/rehearsal';

const server = await startRehearsal({
  scenario: ({ body }) =>
    (body['thinking'] as { type?: string } | undefined)?.type === 'disabled'
      ? reply('42.')
      : reply([thinking('Six by nine, in base thirteen…'), '42.']),
});
async function run(options: NonNullable<Parameters<typeof query>[0]['options']>) {
  const env = { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' };
  let thoughts = '';
  for await (const message of query({
    prompt: 'What is six by nine?',
    options: { env, model: 'sonnet', persistSession: false, ...options },
  })) {
    if (message.type !== 'assistant') continue;
    for (const block of message.message.content) if (block.type === 'thinking') thoughts += block.thinking;
  }
  const body = server.requests.at(-1)?.body as
    | { readonly thinking?: { readonly type: string }; readonly output_config?: { readonly effort: string } }
    | undefined;
  return { thoughts, type: body?.thinking?.type, effort: body?.output_config?.effort };
}

const hard = await run({ thinking: { type: 'adaptive', display: 'summarized' }, effort: 'high' });
const quick = await run({ thinking: { type: 'disabled' }, effort: 'low' });
await server.close();

assert.deepEqual([hard.type, hard.effort], ['adaptive', 'high']);
assert.match(hard.thoughts, /base thirteen/);
assert.deepEqual(quick, { thoughts: '', type: 'disabled', effort: 'low' });
console.log(hard.thoughts);
