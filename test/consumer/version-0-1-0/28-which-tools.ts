// Which built-in tools there are: a few by name, none, or one under another name.
import assert from 'node:assert/strict';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const server = await startRehearsal({
  scenario: (request) =>
    request.tools.includes('Glob') && request.call === 1
      ? reply(toolUse('FindFiles', { pattern: '*.none' }))
      : reply('That is all.'),
});
async function run(options: NonNullable<Parameters<typeof query>[0]['options']>) {
  const env = { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' };
  let tools: readonly string[] = [];
  const results: unknown[] = [];
  for await (const message of query({
    prompt: 'What can you do?',
    options: { env, persistSession: false, ...options },
  })) {
    if (message.type === 'system' && message.subtype === 'init') tools = message.tools;
    if (message.type === 'user') results.push(message.tool_use_result);
  }
  return { tools, results };
}

const few = await run({ tools: ['Read', 'Grep'] });
const none = await run({ tools: [] });
const all = await run({ disallowedTools: ['Bash'] });
const aliased = await run({ tools: ['Glob'], toolAliases: { FindFiles: 'Glob' } });
await server.close();

assert.deepEqual([...few.tools].sort(), ['Grep', 'Read']);
assert.deepEqual(none.tools, []);
assert.ok(all.tools.includes('Edit') && !all.tools.includes('Bash'));
assert.equal(aliased.results.length, 1);
console.log(all.tools.join(', '));
