// What fills the context, and a summary in its place.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { query } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const server = await startRehearsal({
  scenario: {
    name: 'a long talk',
    replies: [
      reply('A conifer, it seems.'),
      reply('They are small.'),
      reply('<summary>They talked about larches.</summary>', { when: { kind: 'compaction' } }),
      reply('About larches.'),
    ],
  },
});

const prompts = new PassThrough({ objectMode: true });
const ask = (content: string) =>
  prompts.write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
const events: string[] = [];
const session = query({
  prompt: prompts,
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    persistSession: false,
    hooks: {
      PreCompact: [
        {
          hooks: [
            async (input) => {
              events.push(input.hook_event_name);
              return {};
            },
          ],
        },
      ],
    },
  },
});
const messagesNow = async () => {
  const { categories } = await session.getContextUsage();
  return categories.find(({ name }) => name === 'Messages')?.tokens ?? 0;
};

const sizes: number[] = [];
ask(`What is this about?\n${'A larch is a conifer that sheds its needles. '.repeat(2_000)}`);
for await (const message of session) {
  if (message.type === 'system' && message.subtype === 'compact_boundary')
    events.push(message.compact_metadata.trigger);
  if (message.type !== 'result') continue;
  sizes.push(await messagesNow());
  if (sizes.length === 1) ask('And its cones?');
  else if (sizes.length === 2) ask('/compact Keep the trees.');
  else if (sizes.length === 3) ask('What did we talk about?');
  else prompts.end();
}
await server.close();

const [, before = 0, after = 0] = sizes;
assert.ok(before > 10_000 && after < before / 4);
assert.deepEqual(events, ['PreCompact', 'manual']);
const last = JSON.stringify(server.requests.at(-1)?.body);
// The newest steps stay as they were; what stood before them is the summary now.
assert.ok(last.includes('They talked about larches.') && last.includes('They are small.'));
assert.ok(!last.includes('sheds its needles'));
console.log(`${before} tokens, then ${after}`);
