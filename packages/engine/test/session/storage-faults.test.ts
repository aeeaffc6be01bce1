import { chmod, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { type FaultPlan, faultyFiles } from '@turnwright/test/faulty-files.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { CWD, fixedClock, SESSION } from '@turnwright/test/session/sample-journal.ts';
import { describe, expect, it } from 'vitest';
import type { JournalBody } from '../../src/protocol/session/journal.ts';
import { createFileJournalStore } from '../../src/session/journal/file-store.ts';
import { createJournalWriter, type JournalWriter } from '../../src/session/journal/journal-writer.ts';
import { readAll, title } from './journal-entries.ts';
import { tempDir } from './temp-dir.ts';

interface Run {
  readonly acknowledged: string[];
  readonly refused: string[];
  readonly codes: Set<unknown>;
}

/** Eight appends with a commit after each, whatever they say; then one with the disk repaired. */
async function run(
  plan: FaultPlan,
  directory: string,
): Promise<Run & { readonly calls: number; readonly onDisk: string[] }> {
  const faulty = faultyFiles(plan);
  const options = { directory, cwd: CWD, clock: fixedClock, durability: 'power' as const };
  const outcome: Run = { acknowledged: [], refused: [], codes: new Set() };
  const store = createFileJournalStore({ ...options, files: faulty.files });
  let writer: JournalWriter | undefined;
  const open = async (): Promise<JournalWriter> =>
    (writer ??= await createJournalWriter({ store, sessionId: SESSION, durability: 'power' }));
  for (let n = 1; n <= 9; n++) {
    if (n === 9) faulty.repair();
    const bodies: JournalBody[] = [title(n), title(n + 0.5)];
    try {
      const opened = await open();
      await opened.append(bodies);
      outcome.acknowledged.push(`t${n}`);
      await opened.commit();
    } catch (error) {
      outcome.codes.add((error as { code?: unknown }).code);
      if (!outcome.acknowledged.includes(`t${n}`)) outcome.refused.push(`t${n}`);
    }
  }
  await writer?.close();
  const entries = await readAll(createFileJournalStore({ ...options, files: nodeFiles }));
  const onDisk = entries.map((entry) => ('id' in entry ? entry.id : ''));
  const pairs = onDisk.filter((id) => !id.endsWith('.5'));
  expect(onDisk).toEqual(pairs.flatMap((id) => [id, `${id}.5`]));
  return { ...outcome, calls: faulty.calls(), onDisk: pairs };
}

describe('F71 a disk that refuses', () => {
  const kinds: Omit<FaultPlan, 'at'>[] = [];
  for (const code of ['ENOSPC', 'EIO', 'EDQUOT', 'EACCES', 'EMFILE'] as const) {
    for (const sticky of [false, true])
      for (const part of [0, 0.3, 0.8, 1]) kinds.push({ code, sticky, part });
  }
  /** Every seventh has each code, each part, and a fault that lasts as well as one that passes. */
  const sample = everyNth(7, kinds);

  it.each(sample)('$code sticky:$sticky after $part of the bytes, at every call', async (kind) => {
    for (let at = 1; ; at++) {
      const { path, dispose } = await tempDir();
      const result = await run({ ...kind, at }, path);
      const where = `${kind.code} at call ${at}`;
      // Nothing that was acknowledged is lost, nothing stands twice, and the order is that of the appends.
      expect(
        result.onDisk.filter((id) => result.acknowledged.includes(id)),
        where,
      ).toEqual(result.acknowledged);
      expect(new Set(result.onDisk).size, where).toBe(result.onDisk.length);
      expect([...result.onDisk].sort(), where).toEqual(result.onDisk);
      expect(
        [...result.codes].every((code) => code === 'storage_error'),
        where,
      ).toBe(true);
      // The disk takes records again: those it had refused are there too, without a gap.
      expect(result.acknowledged.at(-1), where).toBe('t9');
      const first = result.onDisk[0] as string;
      expect(result.onDisk, where).toEqual(
        Array.from({ length: 10 - Number(first.slice(1)) }, (_, i) => `t${Number(first.slice(1)) + i}`),
      );
      await dispose();
      if (at > result.calls) break;
    }
  });

  it('earlier bytes are intact while the disk is full, and the sentence says what to do', async () => {
    const { path, dispose } = await tempDir();
    const faulty = faultyFiles({ at: 5, code: 'ENOSPC', sticky: true, part: 0.5 });
    const store = createFileJournalStore({
      files: faulty.files,
      directory: path,
      cwd: CWD,
      clock: fixedClock,
    });
    await store.takeOver(SESSION);
    expect(await store.append(SESSION, 1, 0, [title(1)])).toEqual({ seq: 1 });
    const before = await readFile(join(path, `${SESSION}.jsonl`));
    await expect(store.append(SESSION, 1, 1, [title(2)])).rejects.toThrow(/disk is full/);
    expect((await readFile(join(path, `${SESSION}.jsonl`))).subarray(0, before.length)).toEqual(before);
    await dispose();
  });

  it.each([0, 0.5])(
    'a takeover that fails after %d of its line leaves the folder as it was',
    async (part) => {
      const { path, dispose } = await tempDir();
      const faulty = faultyFiles({ at: 3, code: 'ENOSPC', part });
      const options = { files: faulty.files, directory: path, cwd: CWD, clock: fixedClock };
      await expect(createFileJournalStore(options).takeOver(SESSION)).rejects.toThrow(/disk is full/);
      expect(await readdir(path)).toEqual([]);

      const file = join(path, `${SESSION}.jsonl`);
      await createFileJournalStore({ ...options, files: nodeFiles }).takeOver(SESSION);
      const before = await readFile(file);
      const again = faultyFiles({ at: 3, code: 'ENOSPC', part });
      await expect(
        createFileJournalStore({ ...options, files: again.files }).takeOver(SESSION),
      ).rejects.toThrow(/disk is full/);
      expect(await readFile(file)).toEqual(before);
      await dispose();
    },
  );

  it('a folder that cannot be made is a storage_error that names it', async () => {
    const { path, dispose } = await tempDir();
    await nodeFiles.writeAtomic(join(path, 'projects'), 'a file');
    const directory = join(path, 'projects', 'p');
    const store = createFileJournalStore({ files: nodeFiles, directory, cwd: CWD, clock: fixedClock });
    await expect(store.takeOver(SESSION)).rejects.toMatchObject({
      code: 'storage_error',
      message: expect.stringContaining(directory),
    });
    await dispose();
  });

  it('close tells how many records could not be written', async () => {
    const { path, dispose } = await tempDir();
    const faulty = faultyFiles({ at: 4, code: 'ENOSPC', sticky: true });
    const store = createFileJournalStore({
      files: faulty.files,
      directory: path,
      cwd: CWD,
      clock: fixedClock,
    });
    const writer = await createJournalWriter({ store, sessionId: SESSION });
    await expect(writer.append([title(1), title(2)])).rejects.toMatchObject({ code: 'storage_error' });
    await expect(writer.close()).rejects.toThrow(/last 2 records/);
    await dispose();
  });

  it('a read-only home refuses by name', async () => {
    if (process.getuid?.() === 0) return; // root writes everywhere
    const { path, dispose } = await tempDir();
    await mkdir(join(path, 'home'));
    await chmod(join(path, 'home'), 0o500);
    const store = createFileJournalStore({
      files: nodeFiles,
      directory: join(path, 'home', 'p'),
      cwd: CWD,
      clock: fixedClock,
    });
    await expect(store.takeOver(SESSION)).rejects.toThrow(/not writable/);
    await dispose();
  });
});
