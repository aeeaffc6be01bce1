import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { createMemoryBlobStore } from '@turnwright/testing';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deleteSession, type Options, query, type SDKUserMessage } from '../../src/index.ts';
import type { BlobStore } from '../../src/protocol/ports.ts';

let server: RehearsalServer;
let folder: string;
let cwd: string;
beforeEach(async () => {
  server = await startRehearsal();
  folder = await mkdtemp(join(tmpdir(), 'turnwright-rewind-'));
  cwd = join(folder, 'project');
  await mkdir(cwd);
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const FIRST = '10000000-0000-4000-8000-000000000001';
const SECOND = '10000000-0000-4000-8000-000000000002';
const at = (name: string) => join(cwd, name);
const text = (name: string) => readFile(at(name), 'utf8');
const write = (name: string, content: string) => toolUse('Write', { file_path: at(name), content });
const edit = (name: string, from: string, to: string) =>
  toolUse('Edit', { file_path: at(name), old_string: from, new_string: to });

const options = (more: Options = {}): Options => ({
  cwd,
  env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: join(folder, 'home') },
  tools: ['Read', 'Write', 'Edit', 'NotebookEdit', 'Bash', 'Agent'],
  permissionMode: 'bypassPermissions',
  allowDangerouslySkipPermissions: true,
  enableFileCheckpointing: true,
  ...more,
});

const prompt = (uuid: string, content = 'Go.'): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  uuid,
});

/** One session, kept open: each prompt is worked on before the next is sent. */
function session(more: Options = {}) {
  let next: ((message: SDKUserMessage | undefined) => void) | undefined;
  const waiting: (SDKUserMessage | undefined)[] = [];
  async function* prompts() {
    for (;;) {
      const message =
        waiting.length > 0
          ? waiting.shift()
          : await new Promise<SDKUserMessage | undefined>((resolve) => {
              next = resolve;
            });
      if (message === undefined) return;
      yield message;
    }
  }
  const send = (message: SDKUserMessage | undefined) => {
    const waits = next;
    next = undefined;
    if (waits === undefined) waiting.push(message);
    else waits(message);
  };
  const running = query({ prompt: prompts(), options: options(more) });
  return {
    running,
    async turn(message: SDKUserMessage): Promise<string> {
      send(message);
      for (;;) {
        const step = await running.next();
        if (step.done === true) throw new Error('it ended');
        if (step.value.type === 'result') {
          expect(step.value).toMatchObject({ subtype: 'success' });
          return step.value.session_id;
        }
      }
    },
    async end() {
      send(undefined);
      for await (const _ of running);
    },
  };
}

const play = (...replies: ReturnType<typeof reply>[]) => server.setScenario({ name: 'rewind', replies });

describe('rewindFiles', () => {
  it('puts back what was changed since a message, removes what was made, and keeps modes', async () => {
    await writeFile(at('a.txt'), 'one\ntwo\n');
    await writeFile(at('run.sh'), '#!/bin/sh\n');
    await chmod(at('run.sh'), 0o755);
    play(
      reply([edit('a.txt', 'two', 'TWO'), write('new.txt', 'made\n')]),
      reply('First.'),
      reply([edit('a.txt', 'one', 'ONE'), edit('run.sh', 'sh', 'bash')]),
      reply('Second.'),
    );
    const run = session();
    await run.turn(prompt(FIRST));
    await run.turn(prompt(SECOND));
    expect(await text('a.txt')).toBe('ONE\nTWO\n');

    const dry = await run.running.rewindFiles(SECOND, { dryRun: true });
    expect(dry).toEqual({
      canRewind: true,
      filesChanged: [at('a.txt'), at('run.sh')],
      insertions: 2,
      deletions: 2,
    });
    expect(await text('a.txt')).toBe('ONE\nTWO\n');

    expect(await run.running.rewindFiles(SECOND)).toEqual({ ...dry, skippedLinks: 0 });
    expect(await text('a.txt')).toBe('one\nTWO\n');
    expect(await text('run.sh')).toBe('#!/bin/sh\n');
    expect((await stat(at('run.sh'))).mode & 0o777).toBe(0o755);
    expect(await text('new.txt')).toBe('made\n');

    expect(await run.running.rewindFiles(FIRST)).toMatchObject({ canRewind: true });
    expect(await text('a.txt')).toBe('one\ntwo\n');
    await expect(text('new.txt')).rejects.toThrow('ENOENT');

    // A rewind is a change like any other: what it took away can be had back.
    expect(await run.running.rewindFiles(SECOND)).toMatchObject({ canRewind: true });
    expect([await text('a.txt'), await text('new.txt')]).toEqual(['one\nTWO\n', 'made\n']);
    await run.end();
  });

  it('leaves unchanged what another program changed since, and names it', async () => {
    for (const name of ['mine.txt', 'yours.txt', 'between.txt']) await writeFile(at(name), 'old\n');
    play(
      reply([
        edit('mine.txt', 'old', 'new'),
        edit('yours.txt', 'old', 'new'),
        write('made.txt', 'made\n'),
        edit('between.txt', 'old', 'new'),
      ]),
      reply('Done.'),
      reply(toolUse('Read', { file_path: at('between.txt') })),
      reply(edit('between.txt', 'of a person', 'of the agent')),
      reply('Done.'),
    );
    const run = session();
    await run.turn(prompt(FIRST));
    await writeFile(at('yours.txt'), 'new\nand a line of mine\n');
    await writeFile(at('made.txt'), 'made, and mine now\n');
    await writeFile(at('between.txt'), 'words of a person\n');
    await run.turn(prompt(SECOND));
    const rewound = await run.running.rewindFiles(FIRST);
    expect(rewound).toMatchObject({
      canRewind: true,
      filesChanged: [at('mine.txt')],
      conflicts: [at('yours.txt'), at('made.txt'), at('between.txt')],
    });
    expect(rewound.error).toContain(at('yours.txt'));
    expect(await text('mine.txt')).toBe('old\n');
    expect(await text('yours.txt')).toBe('new\nand a line of mine\n');
    expect(await text('made.txt')).toBe('made, and mine now\n');
    expect(await text('between.txt')).toBe('words of the agent\n');
    await run.end();
  });

  it('passes over a file behind a link', async () => {
    await writeFile(at('target.txt'), 'old\n');
    await symlink(at('target.txt'), at('link.txt'));
    play(reply(edit('link.txt', 'old', 'new')), reply('Done.'));
    const run = session();
    await run.turn(prompt(FIRST));
    expect(await text('target.txt')).toBe('new\n');
    expect(await run.running.rewindFiles(FIRST)).toMatchObject({ canRewind: false, skippedLinks: 1 });
    expect(await text('target.txt')).toBe('new\n');
    await run.end();
  });

  it('passes over a file that has got a second name, and one whose folder has become a link', async () => {
    await mkdir(at('secrets'));
    await writeFile(at('secrets/key'), 'new\n');
    await mkdir(at('pub'));
    await writeFile(at('a.txt'), 'old\n');
    await writeFile(at('pub/b.txt'), 'old\n');
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside/b.txt'), 'new\n');
    play(reply([edit('a.txt', 'old', 'new'), edit('pub/b.txt', 'old', 'new')]), reply('Done.'));
    const run = session();
    await run.turn(prompt(FIRST));
    await rm(at('a.txt'));
    await link(at('secrets/key'), at('a.txt'));
    await rename(at('pub'), at('pub.moved'));
    await symlink(join(folder, 'outside'), at('pub'));
    expect(await run.running.rewindFiles(FIRST)).toMatchObject({
      canRewind: false,
      filesChanged: [],
      skippedLinks: 2,
    });
    expect(await text('secrets/key')).toBe('new\n');
    expect(await text('a.txt')).toBe('new\n');
    expect(await readFile(join(folder, 'outside/b.txt'), 'utf8')).toBe('new\n');
    await run.end();
  });

  it('works after resume, with what agents did, and with many edits of one file at once (F143)', async () => {
    await writeFile(at('a.txt'), '1\n2\n3\n4\n5\n6\n');
    await writeFile(at('b.txt'), 'old\n');
    play(
      reply([
        ...[1, 2, 3, 4, 5, 6].map((n) => edit('a.txt', `${n}\n`, `${n}${n}\n`)),
        toolUse('Agent', { description: 'edit', prompt: 'Edit.', subagent_type: 'editor' }),
      ]),
      reply(edit('b.txt', 'old', 'new'), { when: { kind: 'any', lastMessage: 'Edit.' } }),
      reply('Edited.', { when: { kind: 'any', lastMessage: 'was edited' } }),
      reply('Done.'),
    );
    const agents = { editor: { description: 'Edits.', prompt: 'You edit.' } };
    const run = session({ agents });
    const sessionId = await run.turn(prompt(FIRST));
    await run.end();
    expect([await text('a.txt'), await text('b.txt')]).toEqual(['11\n22\n33\n44\n55\n66\n', 'new\n']);

    const later = session({ resume: sessionId });
    expect(await later.running.rewindFiles(FIRST)).toMatchObject({
      canRewind: true,
      filesChanged: [at('a.txt'), at('b.txt')],
    });
    expect([await text('a.txt'), await text('b.txt')]).toEqual(['1\n2\n3\n4\n5\n6\n', 'old\n']);
    await later.running.close();
  });

  it('can be rewound when the process ends between keeping and writing', async () => {
    await writeFile(at('a.txt'), 'old\n');
    play(reply(edit('a.txt', 'old', 'new')), reply('Done.'));
    // The write of the project's file never happens; everything before it does.
    const files: PersistentFiles = {
      ...nodeFiles,
      writeAtomic: (path, data, how) =>
        path === at('a.txt') ? Promise.reject(new Error('killed')) : nodeFiles.writeAtomic(path, data, how),
    };
    const run = session({ engine: { files } });
    const sessionId = await run.turn(prompt(FIRST));
    await run.end();
    const later = session({ resume: sessionId });
    expect(await later.running.rewindFiles(FIRST)).toMatchObject({ canRewind: true, filesChanged: [] });
    expect(await text('a.txt')).toBe('old\n');
    await later.running.close();
  });

  it('keeps what files held in the blob store of the host, and nothing of it on disk', async () => {
    await writeFile(at('a.txt'), 'old\n');
    const kept = createMemoryBlobStore();
    const keys: string[] = [];
    const blobs: BlobStore = {
      put(key, bytes) {
        keys.push(key);
        return kept.put(key, bytes);
      },
      get: kept.get,
    };
    play(reply(edit('a.txt', 'old', 'new')), reply('Done.'));
    const run = session({ engine: { blobs } });
    await run.turn(prompt(FIRST));
    expect(keys).toHaveLength(1);
    expect(await run.running.rewindFiles(FIRST)).toMatchObject({ canRewind: true });
    expect(await text('a.txt')).toBe('old\n');
    await run.end();
    const files = await readdir(join(folder, 'home'), { recursive: true });
    expect(files.filter((name) => name.includes('file-history'))).toEqual([]);
  });

  it('says what it cannot do: an unknown message, and a session without checkpoints', async () => {
    play(reply('Hello.'), reply('Hello.'));
    const run = session();
    await run.turn(prompt(FIRST));
    await expect(run.running.rewindFiles(SECOND)).rejects.toThrow(
      'No file checkpoint found for this message.',
    );
    await run.end();
    const without = session({ enableFileCheckpointing: false });
    await without.turn(prompt(FIRST));
    expect(await without.running.rewindFiles(FIRST)).toMatchObject({
      canRewind: false,
      error: expect.stringContaining('enableFileCheckpointing'),
    });
    await without.end();
  });

  it('is switched on by the setting and by the environment; what was kept goes with the session', async () => {
    await writeFile(at('a.txt'), 'old\n');
    const on: Options[] = [
      { enableFileCheckpointing: undefined, settings: { fileCheckpointingEnabled: true } },
      {
        enableFileCheckpointing: undefined,
        env: { ...options().env, CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true' },
      },
    ];
    for (const more of on) {
      play(reply(edit('a.txt', 'old', 'new')), reply('Done.'));
      const run = session(more);
      const sessionId = await run.turn(prompt(FIRST));
      expect(await run.running.rewindFiles(FIRST)).toMatchObject({ canRewind: true });
      expect(await text('a.txt')).toBe('old\n');
      await run.end();
      const kept = async () =>
        (await readdir(join(folder, 'home'), { recursive: true })).filter((name) => name.includes(sessionId));
      expect((await kept()).some((name) => name.includes('file-history'))).toBe(true);
      await deleteSession(sessionId, { env: { TURNWRIGHT_HOME: join(folder, 'home') } });
      expect(await kept()).toEqual([]);
    }
  });
});
