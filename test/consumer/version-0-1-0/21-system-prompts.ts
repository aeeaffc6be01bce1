// Who the model is to be: nobody in particular, a text of yours, the agent's own prompt with a line more, or a text whose
// first part stays the same, so that the provider's cache can keep it.
import assert from 'node:assert/strict';
import { query, SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const server = await startRehearsal({ scenario: { name: 'any', replies: [reply('Hm.', { times: 'any' })] } });
const env = { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' };

/** What of it reached the model. */
async function sent(options: NonNullable<Parameters<typeof query>[0]['options']>): Promise<string> {
  for await (const message of query({
    prompt: 'Hello.',
    options: { env, persistSession: false, ...options },
  }))
    if (message.type === 'result') assert.equal(message.is_error, false);
  const body = server.requests.at(-1)?.body as { readonly system?: unknown } | undefined;
  return JSON.stringify(body?.system ?? []);
}

const none = await sent({});
const own = await sent({ systemPrompt: 'You are a botanist.' });
const longer = await sent({
  systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Always answer in Latin.' },
});
const today = new Date().toISOString().slice(0, 10);
const cached = await sent({
  systemPrompt: ['You are a botanist.', SYSTEM_PROMPT_DYNAMIC_BOUNDARY, `Today is ${today}.`],
});
await server.close();

assert.equal(none, '[]');
assert.ok(own.includes('You are a botanist.') && own.length < 200);
assert.ok(longer.includes('Always answer in Latin.') && longer.length > 500);
assert.ok(cached.includes('cache_control') && cached.includes(today) && !cached.includes('BOUNDARY'));
console.log(`none: ${none.length}, own: ${own.length}, preset: ${longer.length} characters`);
