import { appendFile, chmod, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { inForm, isLong } from '@turnwright/test/long-form.ts';
import { CWD, fixedClock, linesOf, SESSION, user } from '@turnwright/test/session/sample-journal.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalStore } from '../../src/protocol/ports.ts';
import { createFileJournalStore } from '../../src/session/journal/file-store.ts';
import { resumeSession } from '../../src/session/resume/resume.ts';
import { readAll, title } from './journal-entries.ts';
import { tempDir } from './temp-dir.ts';

describe('file journal store', () => {
  let temp: Awaited<ReturnType<typeof tempDir>>;
  let directory: string;
  let file: string;
  let problems: string[];
  beforeEach(async () => {
    temp = await tempDir();
    directory = join(temp.path, 'projects', '-work-project');
    file = join(directory, `${SESSION}.jsonl`);
    problems = [];
  });
  afterEach(() => temp.dispose());

  const makeStore = (): JournalStore =>
    createFileJournalStore({
      files: nodeFiles,
      directory,
      cwd: CWD,
      clock: fixedClock,
      version: '1.2.3',
      onProblem: (_session, { kind }) => problems.push(kind),
    });

  const titles = async (store: JournalStore = makeStore()) =>
    (await readAll(store)).map((entry) => (entry.type === 'title' ? entry.id : entry.type));

  /** A session of three titles, closed. */
  async function written(): Promise<void> {
    const store = makeStore();
    await store.takeOver(SESSION);
    await store.append(SESSION, 1, 0, [1, 2, 3].map(title));
    await store.close(SESSION);
  }

  it('writes the fields of the de-facto transcript', async () => {
    const store = makeStore();
    await store.takeOver(SESSION);
    await store.append(SESSION, 1, 0, [{ ...user('u1', 'hello'), submission: 's1', parentUuid: null }]);
    await store.close(SESSION);
    const line = (await readFile(file, 'utf8')).trimEnd().split('\n').at(-1) ?? '';
    expect(line).toMatch(/^\{"v":1,"seq":1,"epoch":1,.*,"sum":"[0-9a-f]{8}"\}$/);
    expect(JSON.parse(line)).toMatchObject({
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      sessionId: SESSION,
      cwd: CWD,
      version: '1.2.3',
      isSidechain: false,
      userType: 'external',
      message: { role: 'user', content: 'hello' },
      timestamp: '2026-11-01T00:00:00.000Z',
    });
  });

  it('F128 keeps files 0600 and folders 0700, whatever the umask and whatever was there', async () => {
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o777);
    await writeFile(file, '');
    await chmod(file, 0o666);
    await written();
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('F70 a torn last line, cut at every byte, is set aside and cut off; earlier lines stay', async () => {
    await written();
    const whole = await readFile(file);
    const text = whole.toString();
    const lastStart = text.lastIndexOf('\n', text.length - 2) + 1;
    const isNearAnEnd = (cut: number) => cut - lastStart < 5 || whole.length - cut < 5;
    for (let cut = lastStart; cut <= whole.length; cut++) {
      if (cut % inForm(7, 1) !== 0 && !isNearAnEnd(cut)) continue;
      await writeFile(file, whole.subarray(0, cut));
      const store = makeStore();
      const kept = cut >= whole.length - 1 ? 3 : 2;
      expect(await store.takeOver(SESSION), `cut at ${cut}`).toEqual({ epoch: 2, head: kept });
      expect(await store.append(SESSION, 2, kept, [title(9)])).toEqual({ seq: kept + 1 });
      expect(await titles(store)).toEqual([...['t1', 't2', 't3'].slice(0, kept), 't9']);
      await store.close(SESSION);
      const aside = (await readdir(directory)).filter((name) => name.includes('.torn-'));
      const half = cut > lastStart && kept === 2;
      expect(aside.length).toBe(half ? 1 : 0);
      expect(problems.splice(0)).toEqual(half ? ['set_aside'] : []);
      for (const name of aside) {
        expect(await readFile(join(directory, name))).toEqual(whole.subarray(lastStart, cut));
        expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
        await nodeFiles.remove(join(directory, name));
      }
    }
  });

  it('F70 a NUL run at the end, as a power loss leaves it', async () => {
    await written();
    await appendFile(file, Buffer.alloc(4096));
    expect(await titles()).toEqual(['t1', 't2', 't3']);
    expect(problems).toEqual(['nul']);
    const store = makeStore();
    expect(await store.takeOver(SESSION)).toEqual({ epoch: 2, head: 3 });
    await store.append(SESSION, 2, 3, [title(4)]);
    expect(await titles(store)).toEqual(['t1', 't2', 't3', 't4']);
    await store.close(SESSION);
  });

  it('F70 damage in the middle: NULs, two records on one line, a torn line, a changed line', async () => {
    const lines = linesOf([1, 2, 3, 4, 5, 6, 7, 8].map(title)).map((line) => Buffer.from(line));
    const [l1, l2, l3, l4, l5, l6, l7, l8] = lines as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ];
    const newline = Buffer.from('\n');
    const changed = Buffer.from(l7.toString().replace('title 7', 'title X'));
    const parts = [
      l1,
      newline,
      Buffer.alloc(100),
      l2,
      newline,
      l3,
      l4,
      newline,
      l5.subarray(0, 50),
      l6,
      newline,
      changed,
      newline,
      newline,
      l8,
      newline,
    ];
    await mkdir(directory, { recursive: true });
    await writeFile(file, Buffer.concat(parts));
    expect(await titles()).toEqual(['t1', 't2', 't3', 't4', 't6', 't8']);
    expect(problems).toEqual(['nul', 'merged_lines', 'merged_lines', 'bad_checksum']);
  });

  it.runIf(isLong)('F70 a line that does not fit into memory is skipped', async () => {
    await written();
    await appendFile(file, Buffer.alloc(70 * 1024 * 1024, 'x'));
    await appendFile(file, '\n');
    const store = makeStore();
    expect(await store.takeOver(SESSION)).toEqual({ epoch: 2, head: 3 });
    await store.append(SESSION, 2, 3, [title(4)]);
    expect(await titles(store)).toEqual(['t1', 't2', 't3', 't4']);
    expect(problems).toEqual(['too_long']);
    await store.close(SESSION);
  });

  it('F72 a record of a later version is kept and reported', async () => {
    await written();
    const { crc32 } = await import('node:zlib');
    const body = '{"v":9,"seq":4,"epoch":1,"type":"hologram","sessionId":"x"}';
    const sum = crc32(body).toString(16).padStart(8, '0');
    await appendFile(file, `${body.slice(0, -1)},"sum":"${sum}"}\n`);
    const entries = await readAll(makeStore());
    expect(entries.at(-1)).toMatchObject({ v: 9, type: 'hologram' });
    expect(problems).toEqual(['newer_version']);
    expect(resumeSession(entries).problems.newer).toBe(1);
  });

  it('F128 the fence holds between two stores on one file, as between two processes', async () => {
    const first = makeStore();
    const second = makeStore();
    await first.takeOver(SESSION);
    await first.append(SESSION, 1, 0, [title(1)]);
    expect(await second.takeOver(SESSION)).toEqual({ epoch: 2, head: 1 });
    const before = await readFile(file);
    expect(await first.append(SESSION, 1, 1, [title(2)])).toEqual({ fenced: true });
    expect(await first.append(SESSION, 1, 1, [title(2)])).toEqual({ fenced: true });
    expect(await readFile(file)).toEqual(before);
    expect(await second.append(SESSION, 2, 1, [title(3)])).toEqual({ seq: 2 });
    expect(await titles()).toEqual(['t1', 't3']);
  });

  it('F128 a takeover that slips in between check and write is found, and the record does not count', async () => {
    const rival = makeStore();
    let slipIn = false;
    const racing = createFileJournalStore({
      directory,
      cwd: CWD,
      clock: fixedClock,
      files: {
        ...nodeFiles,
        async openAppend(path, mode) {
          const handle = await nodeFiles.openAppend(path, mode);
          return {
            ...handle,
            async append(data) {
              if (slipIn) await rival.takeOver(SESSION);
              await handle.append(data);
            },
          };
        },
      },
    });
    await racing.takeOver(SESSION);
    await racing.append(SESSION, 1, 0, [title(1)]);
    slipIn = true;
    expect(await racing.append(SESSION, 1, 1, [title(2)])).toEqual({ fenced: true });
    expect(await rival.append(SESSION, 2, 1, [title(3)])).toEqual({ seq: 2 });
    expect(await titles()).toEqual(['t1', 't3']);
    expect(problems).toEqual(['fenced']);
  });

  it('F128 two takeovers at the same moment get different epochs, and one of them writes', async () => {
    const stores = Array.from({ length: 4 }, makeStore);
    const owners = await Promise.all(stores.map((store) => store.takeOver(SESSION)));
    expect(new Set(owners.map(({ epoch }) => epoch)).size).toBe(4);
    const outcomes = await Promise.all(
      stores.map((store, i) => store.append(SESSION, owners[i]?.epoch ?? 0, 0, [title(i)])),
    );
    expect(outcomes.filter((outcome) => 'seq' in outcome)).toEqual([{ seq: 1 }]);
    expect((await titles()).length).toBe(1);
  });

  it('lines that another program adds stay, and writing goes on behind them', async () => {
    const store = makeStore();
    await store.takeOver(SESSION);
    await store.append(SESSION, 1, 0, [title(1)]);
    await appendFile(file, '{"type":"custom","sessionId":"x"}\nhalf a line');
    expect(await store.append(SESSION, 1, 1, [title(2)])).toEqual({ seq: 2 });
    expect(await titles(store)).toEqual(['t1', 'custom', 't2']);
    expect(problems).toEqual(['torn']);
    await store.close(SESSION);
  });

  it('a file that was cut behind our back is an error, not a gap', async () => {
    const store = makeStore();
    await store.takeOver(SESSION);
    await store.append(SESSION, 1, 0, [title(1), title(2)]);
    await truncate(file, (await stat(file)).size - 10);
    await expect(store.append(SESSION, 1, 2, [title(3)])).rejects.toMatchObject({ code: 'storage_error' });
    await store.close(SESSION);
  });

  it('reads in bounded memory and finds a late record without parsing the early ones', async () => {
    const store = makeStore();
    await store.takeOver(SESSION);
    const many = Array.from({ length: 20_000 }, (_, n) => title(n + 1));
    await store.append(SESSION, 1, 0, many);
    expect((await readAll(store, 19_999)).map(({ seq }) => seq)).toEqual([19_999, 20_000]);
    await store.close(SESSION);
  });
});
