// CLAUDE.md: what a project tells every agent that works in it, and what a folder says to whom it concerns.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
await mkdir(join(cwd, 'web'));
await writeFile(join(cwd, 'CLAUDE.md'), 'Tests run with `make check`. More: @style.md\n');
await writeFile(join(cwd, 'style.md'), 'No default exports.\n');
await writeFile(join(cwd, 'web/CLAUDE.md'), 'Pages are plain HTML.\n');
await writeFile(join(cwd, 'web/index.html'), '<p>Hello.</p>\n');

const server = await startRehearsal({
  scenario: {
    name: 'memory',
    replies: [reply(toolUse('Read', { file_path: join(cwd, 'web/index.html') })), reply('It says hello.')],
  },
});
for await (const message of query({
  prompt: 'What does the page say?',
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    // Without it the library reads no file of the project.
    settingSources: ['project'],
    persistSession: false,
  },
})) {
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
}
await server.close();
await rm(cwd, { recursive: true });

const [first = '', second = ''] = server.requests.map(({ body }) => JSON.stringify(body));
assert.ok(first.includes('make check') && first.includes('No default exports.'));
// That of a folder comes once a file in it was touched.
assert.ok(!first.includes('Pages are plain HTML.') && second.includes('Pages are plain HTML.'));
