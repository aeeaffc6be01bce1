import { copyFile, mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { fixedClock, user } from '@turnwright/test/session/sample-journal.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileTranscripts } from '../../src/session/catalog/file-transcripts.ts';
import { createFileJournalStore } from '../../src/session/journal/file-store.ts';
import {
  findSession,
  newestSession,
  projectSlug,
  sessionFile,
  sessionsDirectory,
  spillDirectory,
} from '../../src/session/paths.ts';
import { tempDir } from './temp-dir.ts';

describe('where sessions live', () => {
  let home: string;
  let dispose: () => Promise<void>;
  beforeEach(async () => {
    const temp = await tempDir();
    home = temp.path;
    dispose = temp.dispose;
  });
  afterEach(() => dispose());

  /** A session with one prompt, last written at `mtimeS`. */
  async function session(cwd: string, id: string, prompt: string | undefined, mtimeS: number): Promise<void> {
    const directory = sessionsDirectory(home, cwd);
    const store = createFileJournalStore({ files: nodeFiles, directory, cwd, clock: fixedClock });
    await store.takeOver(id);
    if (prompt !== undefined)
      await store.append(id, 1, 0, [
        { ...user('u1', prompt, { kind: 'prompt' }), submission: 's1', parentUuid: null },
      ]);
    await store.close(id);
    await utimes(sessionFile(home, cwd, id), mtimeS, mtimeS);
  }

  it('names folders by the rule of the de-facto layout', () => {
    expect(projectSlug('/home/ada/my_proj.v2')).toBe('-home-ada-my-proj-v2');
    expect(sessionFile('/h', '/a/b', 'id-1')).toBe('/h/projects/-a-b/id-1.jsonl');
    expect(spillDirectory('/h', '/a/b', 'id-1')).toBe('/h/projects/-a-b/id-1/tool-results');
    for (const bad of ['../x', 'a/b', '', '.', 'a\0b', 'x'.repeat(129)]) {
      expect(() => sessionFile('/h', '/a', bad)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
    }
  });

  it('F74 long working directories stay distinct', () => {
    const long = `/${'x'.repeat(250)}`;
    const [a, b] = [projectSlug(`${long}/one`), projectSlug(`${long}/two`)];
    expect(a).not.toBe(b);
    expect(a.length).toBeLessThan(255);
    expect(projectSlug(`${long}/one`)).toBe(a);
  });

  it('F74 the newest session is one of this very working directory, with a prompt', async () => {
    await session('/a_b', 'mine-old', 'first', 1000);
    await session('/a_b', 'mine', 'second', 2000);
    await session('/a-b', 'others', 'third', 3000);
    await session('/a_b', 'empty', undefined, 4000);
    await writeFile(join(sessionsDirectory(home, '/a_b'), 'mine.lock'), '{}');
    expect(await newestSession({ files: nodeFiles, home, cwd: '/a_b' })).toMatchObject({
      sessionId: 'mine',
      cwd: '/a_b',
    });
    expect(await newestSession({ files: nodeFiles, home, cwd: '/a-b' })).toMatchObject({
      sessionId: 'others',
    });
    expect(await newestSession({ files: nodeFiles, home, cwd: '/nowhere' })).toBeUndefined();
  });

  it('F74 a session is found from any folder, with the place it was started in', async () => {
    await session('/somewhere/else', 'abc', 'hi', 1000);
    expect(await findSession({ files: nodeFiles, home, sessionId: 'abc', cwd: '/here' })).toEqual({
      sessionId: 'abc',
      directory: sessionsDirectory(home, '/somewhere/else'),
      file: sessionFile(home, '/somewhere/else', 'abc'),
      cwd: '/somewhere/else',
    });
    expect(await findSession({ files: nodeFiles, home, sessionId: 'absent' })).toBeUndefined();
    await expect(findSession({ files: nodeFiles, home, sessionId: '../abc' })).rejects.toMatchObject({
      code: 'invalid_option',
    });
    expect(
      await findSession({ files: nodeFiles, home: '/nonexistent-home', sessionId: 'abc' }),
    ).toBeUndefined();
  });

  it('lists sessions newest first, from heads and tails, foreign ones too', async () => {
    await session('/p', 'old', 'one\n  two', 1000);
    await session('/p', 'empty', undefined, 5000);
    const directory = sessionsDirectory(home, '/p');
    const foreign = join(directory, 'foreign.jsonl');
    await mkdir(dirname(foreign), { recursive: true });
    await copyFile(
      fileURLToPath(new URL('../../../../test/fixtures/transcripts/de-facto-v2.jsonl', import.meta.url)),
      foreign,
    );
    await utimes(foreign, 2000, 2000);
    const store = createFileJournalStore({ files: nodeFiles, directory, cwd: '/p', clock: fixedClock });
    await store.takeOver('big');
    await store.append('big', 1, 0, [
      { type: 'title', id: 't1', submission: 's1', title: 'early' },
      { ...user('u1', 'x'.repeat(300), { kind: 'prompt' }), submission: 's1' },
    ]);
    const filler = Array.from({ length: 300 }, (_, n) => ({
      ...user(`f${n}`, 'y'.repeat(1000)),
      submission: 's1',
    }));
    await store.append('big', 1, 2, [
      ...filler,
      { type: 'title', id: 't2', submission: 's1', title: 'late' },
    ]);
    await store.close('big');
    await utimes(join(directory, 'big.jsonl'), 3000, 3000);

    const transcripts = createFileTranscripts({ files: nodeFiles, home, cwds: ['/p'], clock: systemClock });
    const sessions = await transcripts.list({});
    expect(sessions.map(({ sessionId, summary, cwd }) => [sessionId, summary, cwd])).toEqual([
      ['big', 'late', '/p'],
      ['foreign', 'Listing the files', '/home/ada/proj'],
      ['old', 'one two', '/p'],
    ]);
    expect(sessions[0]?.firstPrompt).toBe(`${'x'.repeat(199)}…`);
    expect(sessions[2]).toMatchObject({ firstPrompt: 'one two', lastModified: 1_000_000 });
    expect(await transcripts.list({ limit: 1, offset: 1 })).toEqual([sessions[1]]);
    const elsewhere = { files: nodeFiles, home: '/nonexistent', clock: systemClock };
    expect(await createFileTranscripts({ ...elsewhere, cwds: undefined }).list({})).toEqual([]);
    expect(await createFileTranscripts({ ...elsewhere, cwds: ['/p'] }).list({})).toEqual([]);
  });
});
