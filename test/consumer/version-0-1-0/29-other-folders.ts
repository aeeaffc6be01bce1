// Work in more folders than one: those named count as the working directory does.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const [cwd, library, elsewhere] = await Promise.all(
  ['app', 'library', 'elsewhere'].map((name) => mkdtemp(join(tmpdir(), `turnwright-${name}-`))),
);
assert.ok(cwd && library && elsewhere);
await writeFile(join(library, 'version.txt'), '1.0\n');

const server = await startRehearsal({
  scenario: {
    name: 'two folders',
    replies: [
      reply([
        toolUse('Edit', { file_path: join(library, 'version.txt'), old_string: '1.0', new_string: '1.1' }),
        toolUse('Write', { file_path: join(elsewhere, 'version.txt'), content: '1.1\n' }),
      ]),
      reply('The library is at 1.1.'),
    ],
  },
});

let denied: readonly { readonly tool_name: string }[] = [];
for await (const message of query({
  prompt: 'Raise the version everywhere.',
  options: {
    cwd,
    additionalDirectories: [library],
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    permissionMode: 'acceptEdits',
    persistSession: false,
  },
})) {
  if (message.type === 'result') denied = message.permission_denials;
}
await server.close();

assert.equal(await readFile(join(library, 'version.txt'), 'utf8'), '1.1\n');
assert.deepEqual(
  denied.map(({ tool_name }) => tool_name),
  ['Write'],
);
for (const folder of [cwd, library, elsewhere]) await rm(folder, { recursive: true });
console.log('changed in the library, denied elsewhere');
