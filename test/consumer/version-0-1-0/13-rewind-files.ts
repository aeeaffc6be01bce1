// File checkpoints: look at what the agent changed since a prompt, and put it back.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const folder = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const poem = join(folder, 'poem.txt');
const notes = join(folder, 'notes.txt');
await writeFile(poem, 'Roses are red\n');

const server = await startRehearsal({
  scenario: {
    name: 'rewind',
    replies: [
      reply([
        toolUse('Edit', { file_path: poem, old_string: 'red', new_string: 'blue' }),
        toolUse('Write', { file_path: notes, content: 'Changed the colour.\n' }),
      ]),
      reply('The roses are blue now.'),
    ],
  },
});

// The stream stays open, so that the session can still be asked when the turn is over.
const promptId = crypto.randomUUID();
let done = () => {};
const rewound = new Promise<void>((resolve) => {
  done = resolve;
});
async function* prompts() {
  yield {
    type: 'user' as const,
    message: { role: 'user' as const, content: 'Make them blue.' },
    parent_tool_use_id: null,
    uuid: promptId,
  };
  await rewound;
}

const session = query({
  prompt: prompts(),
  options: {
    cwd: folder,
    env: {
      ...process.env,
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'rehearsal',
      TURNWRIGHT_HOME: join(folder, 'home'),
    },
    tools: ['Write', 'Edit'],
    permissionMode: 'acceptEdits',
    enableFileCheckpointing: true,
  },
});
for await (const message of session) {
  if (message.type !== 'result') continue;
  const preview = await session.rewindFiles(promptId, { dryRun: true });
  console.log(`${preview.filesChanged?.length} files, +${preview.insertions} -${preview.deletions}`);
  assert.equal(await readFile(poem, 'utf8'), 'Roses are blue\n');

  const { canRewind, filesChanged } = await session.rewindFiles(promptId);
  assert.deepEqual([canRewind, filesChanged], [true, [poem, notes]]);
  done();
}
assert.equal(await readFile(poem, 'utf8'), 'Roses are red\n');
await assert.rejects(readFile(notes), 'a file that the agent made is removed');
await server.close();
await rm(folder, { recursive: true });
