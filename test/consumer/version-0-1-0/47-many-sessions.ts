// A host with many conversations at once: each has its folder, its session, and an answer of its own.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const home = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const server = await startRehearsal({
  scenario: ({ call, lastMessage, firstUserMessage }) => {
    const [, tree = ''] = /Plant an? (\w+)/.exec(firstUserMessage) ?? [];
    return call === 1 && lastMessage.includes('Plant')
      ? reply(toolUse('Write', { file_path: 'garden.txt', content: `${tree}\n` }))
      : reply(`The ${tree} is planted.`);
  },
});

async function serve(tree: string) {
  const cwd = join(home, tree);
  await mkdir(cwd);
  for await (const message of query({
    prompt: `Plant a ${tree}.`,
    options: {
      cwd,
      env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
      permissionMode: 'acceptEdits',
      persistSession: false,
    },
  })) {
    if (message.type !== 'result' || message.subtype !== 'success') continue;
    const garden = await readFile(join(cwd, 'garden.txt'), 'utf8');
    return { session: message.session_id, answer: message.result, garden };
  }
  throw new Error('There was no result.');
}

const trees = ['larch', 'birch', 'pine', 'yew'];
const served = await Promise.all(trees.map(serve));
await server.close();
await rm(home, { recursive: true });

assert.equal(new Set(served.map(({ session }) => session)).size, trees.length);
assert.deepEqual(
  served.map(({ garden }) => garden.trim()),
  trees,
);
for (const { answer } of served) console.log(answer);
