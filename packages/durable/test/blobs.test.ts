/** What a session keeps beside its journal is where its journal is: another machine has it too. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Options, query } from '@turnwright/engine';
import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import { openedClient, openedDatabase } from '@turnwright/test/durable/opened.ts';
import { eventually, startFleet } from '@turnwright/test/durable/processes.ts';
import { callTool, type ScriptStep, say, scriptedModel } from '@turnwright/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createBlobStore } from '../src/postgres/blobs.ts';
import { createJournalStore } from '../src/postgres/journal-rows.ts';

const sessionId = '1c9a6a52-7d6e-4c8e-9a5b-2f4c64a1be07';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'blobs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('files that a tool changed on one machine are restored on another one', async () => {
  const url = newDatabase();
  const work = temporaryFolder();
  const file = join(work, 'notes.txt');
  const PROMPT = '6b8f2f4e-0d5c-4b57-8a35-4f2f5a0f6c11';
  /** A process of its own: other connections, another home. */
  const options = async (script: readonly ScriptStep[]): Promise<Options> => {
    const database = await openedDatabase(url);
    return {
      settingSources: [],
      cwd: work,
      permissionMode: 'acceptEdits',
      enableFileCheckpointing: true,
      engine: {
        callModel: scriptedModel(script).callModel,
        home: temporaryFolder(),
        store: await createJournalStore(database, { cwd: work }),
        blobs: createBlobStore(database, sessionId),
      },
    };
  };
  writeFileSync(file, 'before\n');
  async function* prompts() {
    yield {
      type: 'user' as const,
      uuid: PROMPT,
      session_id: sessionId,
      parent_tool_use_id: null,
      message: { role: 'user' as const, content: 'Change the notes.' },
    };
  }
  const script = [
    callTool('Read', { file_path: file }),
    callTool('Write', { file_path: file, content: 'after\n' }),
    say('Done.'),
  ];
  for await (const message of query({
    prompt: prompts(),
    options: { ...(await options(script)), sessionId },
  }))
    if (message.type === 'result') expect(message).toMatchObject({ subtype: 'success' });
  expect(readFileSync(file, 'utf8')).toBe('after\n');

  async function* none() {}
  const elsewhere = query({ prompt: none(), options: { ...(await options([])), resume: sessionId } });
  expect(await elsewhere.rewindFiles(PROMPT)).toMatchObject({ canRewind: true, filesChanged: [file] });
  await elsewhere.return();
  expect(readFileSync(file, 'utf8')).toBe('before\n');
});

test('large results that were stored on one machine are read on another one, by the paths that the model was given', {
  timeout: 300_000,
}, async () => {
  const fleet = await startFleet();
  const client = openedClient(fleet);
  const machine = () => {
    const home = temporaryFolder();
    return { HOME_FOLDER: home, TMPDIR: home };
  };
  const ended = (text: string) =>
    eventually(async () => (await client.status('s1'))?.state === 'idle', {
      describe: async () => [text, await client.status('s1'), fleet.ledger()],
    });
  const [first, second] = [machine(), machine()];
  const one = await fleet.start('spilling.ts', first);
  await client.send('s1', 'Make them.');
  await ended('Make them.');
  one.signal('SIGKILL');
  await one.exited;
  rmSync(first.TMPDIR, { recursive: true });
  const other = await fleet.start('spilling.ts', second);
  await client.send('s1', 'Read them.');
  await ended('Read them.');
  const lines = fleet.ledger().map(({ what, details }) => [what, ...details]);
  const [, ...paths] = lines.find(([what]) => what === 'paths') ?? [];
  for (const path of paths) expect(path.startsWith(first.TMPDIR), path).toBe(true);
  expect(lines.filter(([what]) => what === 'read')).toEqual([
    ['read', 'big', 'true'],
    ['read', 'bash', 'true'],
  ]);
  expect(other.stderr()).not.toContain('could not be');
});
