import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { CWD, fixedClock } from '@turnwright/test/session/sample-journal.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFileJournalStore } from '../../src/session/journal/file-store.ts';
import { buildChild, kill, linesOfChild } from './child-process.ts';
import { readAll } from './journal-entries.ts';
import { tempDir } from './temp-dir.ts';

describe('real processes', () => {
  let temp: Awaited<ReturnType<typeof tempDir>>;
  let start: ReturnType<typeof buildChild>;
  beforeAll(async () => {
    temp = await tempDir();
    start = buildChild(temp.path);
  });
  afterAll(() => temp.dispose());

  it('F01 what an append acknowledged survives SIGKILL, record by record', async () => {
    for (const session of inForm(['k1', 'k3'], ['k1', 'k2', 'k3', 'k4', 'k5'])) {
      const directory = join(temp.path, 'sessions');
      const child = start('append', directory, session);
      const limit = 50 + Number(session.slice(1)) * 173;
      const said: string[] = [];
      child.stdout?.on('data', (chunk: Buffer) => said.push(chunk.toString()));
      await new Promise<void>((resolve) => {
        child.stdout?.on('data', () => {
          if (said.join('').split('\n').length > limit) resolve();
        });
      });
      await kill(child);
      const lines = said.join('').split('\n').slice(0, -1);
      const store = createFileJournalStore({ files: nodeFiles, directory, cwd: CWD, clock: fixedClock });
      const { head, epoch } = await store.takeOver(session);
      const ids = (await readAll(store, 1, session)).map((entry) => ('id' in entry ? entry.id : ''));
      expect(epoch).toBe(2);
      expect(ids.slice(0, lines.length)).toEqual(lines);
      expect(ids).toEqual(Array.from({ length: head }, (_, n) => `t${n + 1}`));
      await store.close(session);
    }
  });

  it('F128 a process whose session was taken over while it writes appends nothing that counts', async () => {
    const directory = join(temp.path, 'taken');
    const child = start('append', directory, 'z1');
    await linesOfChild(child, (lines) => lines.length > 100);
    const store = createFileJournalStore({ files: nodeFiles, directory, cwd: CWD, clock: fixedClock });
    child.stdout?.resume();
    const { epoch, head } = await store.takeOver('z1');
    expect(epoch).toBe(2);
    // The writer of epoch 1 ends with `fenced`.
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
    expect(child.exitCode).toBe(3);
    expect(
      await store.append('z1', 2, head, [{ type: 'title', id: 'mine', submission: 's2', title: 'mine' }]),
    ).toEqual({ seq: head + 1 });
    const entries = await readAll(store, 1, 'z1');
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: head + 1 }, (_, n) => n + 1));
    expect(entries.at(-1)).toMatchObject({ id: 'mine', epoch: 2 });
    await store.close('z1');
  });

  it('F69 two processes open one session: the second fails at once with a named error and writes nothing', async () => {
    const directory = join(temp.path, 'twice');
    const holder = start('hold', directory, 'd1');
    await linesOfChild(holder, (lines) => lines.includes('held'));
    const lock = await readFile(join(directory, 'd1.lock'), 'utf8');
    const second = start('open', directory, 'd1');
    const [answer = ''] = await linesOfChild(second, (lines) => lines.length > 0);
    expect(JSON.parse(answer)).toMatchObject({
      code: 'session_in_use',
      message: expect.stringContaining(`process ${holder.pid}`),
    });
    expect(await nodeFiles.readDir(directory)).toEqual(['d1.lock']);
    expect(await readFile(join(directory, 'd1.lock'), 'utf8')).toBe(lock);

    // Its lock is stale once it is dead.
    await kill(holder);
    const third = start('open', directory, 'd1');
    expect(await linesOfChild(third, (lines) => lines.length > 0)).toEqual(['opened']);
    await kill(third);
  });
});
