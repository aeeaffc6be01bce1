/** F128 F71 One owner of a session file: what it does when the file, or the disk, is not as it left it. */
import { appendFile, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { AppendHandle, PersistentFiles } from '@turnwright/base/persistent-files.ts';
import {
  asEntries,
  assistant,
  CWD,
  decisionRecord,
  fixedClock,
  linesOf,
  SESSION,
  user,
} from '@turnwright/test/session/sample-journal.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalStore } from '../../src/protocol/ports.ts';
import type { JournalBody } from '../../src/protocol/session/journal.ts';
import { decodeLine, encodeRecord, resealed, sessionPrefix } from '../../src/session/journal/envelope.ts';
import { createFileJournalStore } from '../../src/session/journal/file-store.ts';
import { createJournalWriter } from '../../src/session/journal/journal-writer.ts';
import { createMemoryJournalStore } from '../../src/session/journal/memory-store.ts';
import { readLines } from '../../src/session/journal/read-lines.ts';
import { readAll, title } from './journal-entries.ts';
import { tempDir } from './temp-dir.ts';

describe('a session file', () => {
  let temp: Awaited<ReturnType<typeof tempDir>>;
  let file: string;
  let problems: string[];
  let handles: { opened: number; closed: number };
  beforeEach(async () => {
    temp = await tempDir();
    file = join(temp.path, `${SESSION}.jsonl`);
    problems = [];
    handles = { opened: 0, closed: 0 };
  });
  afterEach(() => temp.dispose());

  function makeStore(
    change: (handle: AppendHandle) => Partial<AppendHandle> = () => ({}),
    files: Partial<PersistentFiles> = {},
  ): JournalStore {
    return createFileJournalStore({
      directory: temp.path,
      cwd: CWD,
      clock: fixedClock,
      durability: 'power',
      onProblem: (_session, { kind }) => problems.push(kind),
      files: {
        ...nodeFiles,
        async openAppend(path, mode) {
          const handle = await nodeFiles.openAppend(path, mode);
          handles.opened++;
          const close = () => {
            handles.closed++;
            return handle.close();
          };
          return { ...handle, close, ...change(handle) };
        },
        ...files,
      },
    });
  }
  const titles = async () =>
    (await readAll(makeStore())).map((entry) => (entry.type === 'title' ? entry.id : entry.type));

  it('two takeovers by one program: the later epoch is the one that writes, and nothing else stays open', async () => {
    const store = makeStore();
    const owners = await Promise.all([
      store.takeOver(SESSION),
      store.takeOver(SESSION),
      store.takeOver(SESSION),
    ]);
    const epoch = Math.max(...owners.map((owner) => owner.epoch));
    expect(await store.append(SESSION, epoch, 0, [title(1)])).toEqual({ seq: 1 });
    expect(handles).toEqual({ opened: 3, closed: 2 });
    await store.close(SESSION);
    expect(handles.closed).toBe(3);
    expect(await titles()).toEqual(['t1']);
  });

  it('an append of nothing says where the journal stands, or that it is another owner’s', async () => {
    const store = makeStore();
    await store.takeOver(SESSION);
    await store.append(SESSION, 1, 0, [title(1)]);
    expect(await store.append(SESSION, 1, 1, [])).toEqual({ seq: 1 });
    await makeStore().takeOver(SESSION);
    expect(await store.append(SESSION, 1, 1, [title(2)])).toEqual({ fenced: true });
    expect(await store.append(SESSION, 1, 1, [])).toEqual({ fenced: true });
  });

  it('an append of nothing writes nothing, and one behind the own last line needs no wait', async () => {
    const written: unknown[] = [];
    const store = makeStore((handle) => ({
      append(data) {
        written.push(data);
        return handle.append(data);
      },
    }));
    await store.takeOver(SESSION);
    expect(store.append(SESSION, 1, 0, [title(1)])).toEqual({ seq: 1 });
    const before = written.length;
    expect(store.append(SESSION, 1, 1, [])).toEqual({ seq: 1 });
    expect(written).toHaveLength(before);
    expect(store.append(SESSION, 1, 1, [title(2)])).toEqual({ seq: 2 });
    expect(await titles()).toEqual(['t1', 't2']);
  });

  it.each([false, true])(
    'a half line is reported once, as set aside (for a resume: %s)',
    async (toResume) => {
      const [first, second] = linesOf([1, 2].map(title)) as [string, string];
      await appendFile(file, `${first}\n${second.slice(0, 40)}`);
      expect(await makeStore().takeOver(SESSION, { toResume })).toMatchObject({ epoch: 2, head: 1 });
      expect(problems).toEqual(['set_aside']);
      expect(await titles()).toEqual(['t1']);
    },
  );

  it('a takeover right behind the own one: another line of takeover follows, and the session can be written', async () => {
    const rival = makeStore();
    let slipsIn = true;
    const store = makeStore((handle) => ({
      async append(data) {
        await handle.append(data);
        if (!slipsIn) return;
        slipsIn = false;
        await rival.takeOver(SESSION);
      },
    }));
    expect(await store.takeOver(SESSION)).toMatchObject({ epoch: 3, head: 0 });
    expect(await store.append(SESSION, 3, 0, [title(1)])).toEqual({ seq: 1 });
    expect(await rival.append(SESSION, 2, 0, [title(2)])).toEqual({ fenced: true });
    expect(await titles()).toEqual(['t1']);
  });

  it('a takeover right behind a write: what was written before it counts', async () => {
    const rival = makeStore();
    let slipsIn = false;
    const store = makeStore((handle) => ({
      async append(data) {
        await handle.append(data);
        if (slipsIn) await rival.takeOver(SESSION);
      },
    }));
    await store.takeOver(SESSION);
    slipsIn = true;
    expect(await store.append(SESSION, 1, 0, [title(1)])).toEqual({ seq: 1 });
    expect(await store.append(SESSION, 1, 1, [title(2)])).toEqual({ fenced: true });
    expect(await rival.append(SESSION, 2, 1, [title(3)])).toEqual({ seq: 2 });
    expect(await titles()).toEqual(['t1', 't3']);
  });

  it.each(['append', 'size'] as const)(
    'a disk that fails at once in `%s` refuses the record and keeps the others',
    async (operation) => {
      let fails = false;
      const store = makeStore((handle) => ({
        [operation](data: string) {
          if (fails) throw Object.assign(new Error('EIO'), { code: 'EIO' });
          return handle[operation](data);
        },
      }));
      await store.takeOver(SESSION);
      await store.append(SESSION, 1, 0, [title(1)]);
      fails = true;
      await expect((async () => store.append(SESSION, 1, 1, [title(2)]))()).rejects.toMatchObject({
        code: 'storage_error',
      });
      fails = false;
      expect(await store.append(SESSION, 1, 1, [title(3)])).toEqual({ seq: 2 });
      expect(await titles()).toEqual(['t1', 't3']);
    },
  );

  it.each([
    ['ENOSPC', /The disk is full \(ENOSPC\): free some space/],
    ['EROFS', /The folder is not writable \(EROFS\): choose another configuration home/],
    ['EMFILE', /Too many files are open \(EMFILE\)\./],
    ['EIO', /Reason: EIO$/],
  ])('%s is explained', async (code, sentence) => {
    const store = makeStore(undefined, {
      openAppend: async () => {
        throw Object.assign(new Error(code), { code });
      },
    });
    await expect(store.takeOver(SESSION)).rejects.toThrow(sentence);
  });

  it('what a sync lost is not written over: the file is opened again, and closed when records are gone', async () => {
    let fails = true;
    const store = makeStore((handle) => ({
      sync: async () => {
        if (fails) throw new Error('EIO');
        await handle.sync();
      },
    }));
    await store.takeOver(SESSION);
    await store.append(SESSION, 1, 0, [1, 2, 3].map(title));
    await expect(store.sync?.(SESSION)).rejects.toMatchObject({ code: 'storage_error' });
    expect(handles).toEqual({ opened: 1, closed: 1 });
    fails = false;
    // Everything is still there.
    expect(await store.append(SESSION, 1, 3, [title(4)])).toEqual({ seq: 4 });
    fails = true;
    await expect(store.sync?.(SESSION)).rejects.toMatchObject({ code: 'storage_error' });
    const lines = (await readFile(file, 'utf8')).split('\n').slice(0, 3);
    await truncate(file, Buffer.byteLength(`${lines.join('\n')}\n`));
    await expect((async () => store.append(SESSION, 1, 4, [title(5)]))()).rejects.toMatchObject({
      cause: { message: '2 records are gone from the file.' },
    });
    expect(handles).toEqual({ opened: 3, closed: 3 });
  });

  it('a half line that its owner completes while it is set aside is kept', async () => {
    const [first, second] = linesOf([1, 2].map(title)) as [string, string];
    await appendFile(file, `${first}\n${second.slice(0, 40)}`);
    let isCompleted = false;
    const store = makeStore(undefined, {
      async writeAtomic(...given) {
        await nodeFiles.writeAtomic(...given);
        if (!isCompleted) await appendFile(file, `${second.slice(40)}\n`);
        isCompleted = true;
      },
    });
    expect(await store.takeOver(SESSION)).toEqual({ epoch: 2, head: 2 });
    expect(await titles()).toEqual(['t1', 't2']);
    expect(problems).toEqual([]);
  });

  it('records of an owner that had lost the session are reported, also where they are only counted', async () => {
    const store = makeStore();
    await store.takeOver(SESSION);
    await store.takeOver(SESSION);
    await store.append(SESSION, 2, 0, [1, 2, 3].map(title));
    await appendFile(file, `${linesOf([title(7)])[0]}\n`);
    await store.append(SESSION, 2, 3, [title(4), title(5)]);
    await store.close(SESSION);
    problems = [];
    const found = [];
    for await (const entry of makeStore().read(SESSION, 5)) found.push(entry.seq);
    expect(found).toEqual([5]);
    expect(problems).toEqual(['fenced']);
  });

  it('that became shorter while it is read ends there', async () => {
    await appendFile(file, 'one\ntwo\n');
    const files: PersistentFiles = {
      ...nodeFiles,
      stat: async (path) => ({ ...(await nodeFiles.stat(path))!, size: 100 }),
    };
    const found: string[] = [];
    for await (const line of readLines(files, file)) found.push(line.bytes.toString());
    expect(found).toEqual(['one', 'two']);
  });

  it('gives a resume what it needs of finished submissions, and all of the open one', async () => {
    const answer = (uuid: string, settled?: true): JournalBody => ({
      ...assistant(uuid, 'm', { type: 'text', text: settled ? 'settled' : 'first' }),
      submission: 's',
      iteration: 1,
      ...(settled && { settled }),
    });
    const submission = (id: string, more: object = {}): JournalBody =>
      ({
        type: 'submission',
        id,
        submission: id,
        model: 'm',
        permissionMode: 'default',
        ...more,
      }) as JournalBody;
    const decision = (n: number): JournalBody => ({
      type: 'decision',
      id: `d${n}`,
      submission: 's',
      record: decisionRecord('s', n, 1, undefined),
    });
    const response = (id: string) =>
      ({ type: 'response', id, submission: 's', usage: {}, costUsd: 1 }) as unknown as JournalBody;
    const cost = (id: string) =>
      ({ type: 'cost', id, submission: 's', totalCostUsd: 1, modelUsage: {} }) as JournalBody;
    const result = (id: string) =>
      ({ type: 'result', id, submission: 's', result: { type: 'result' } }) as unknown as JournalBody;
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((letter) => SESSION.replaceAll('1', letter)) as [
      string,
      string,
      string,
      string,
    ];
    const bodies = [
      submission('s1'),
      { ...user('u1', 'Go.'), submission: 's1' },
      answer(a),
      response('r1'),
      answer(a, true),
      decision(1),
      answer(b),
      response('r2'),
      cost('c1'),
      result('e1'),
      submission('s2'),
      answer(c),
      answer(c, true),
      response('r3'),
      decision(2),
      answer(d),
      answer(a),
      submission('s2-again', { carriesOn: true }),
      response('r4'),
      decision(3),
      title(1),
    ] as JournalBody[];
    const store = makeStore();
    const known = async (added: readonly JournalBody[]) => {
      const { epoch, head } = await store.takeOver(SESSION);
      await store.append(SESSION, epoch, head, added);
      const { toResume } = await store.takeOver(SESSION, { toResume: true });
      return toResume?.map((entry) => {
        if (!('uuid' in entry)) return entry.id;
        return `${entry.uuid.slice(0, 2)}${'settled' in entry ? '+' : ''}${entry.seq}`;
      });
    };
    // The decisions of what is over are gone, blocks stand where they were first recorded, and sums include responses.
    expect(await known(bodies)).toEqual(
      's1 u12 aa+3 bb7 r2 c1 e1 s2 cc+12 r3 d2 dd16 aa17 s2-again r4 d3 t1'.split(' '),
    );
    expect(await known([result('e2'), title(2)])).toEqual(
      's1 u12 aa+3 bb7 c1 e1 s2 cc+12 r3 dd16 aa17 s2-again r4 t1 e2 t2'.split(' '),
    );
    expect(await known([{ type: 'rewind', id: 'back', to: a } as unknown as JournalBody])).toBeUndefined();
  });
});

describe('the writer', () => {
  const memory = () => createMemoryJournalStore({ cwd: CWD, clock: fixedClock });

  it('goes on behind the message that a rewind went back to, also in the next life', async () => {
    const store = memory();
    const prompt = (uuid: string) => ({ ...user(uuid, 'x'), submission: 's' });
    const first = await createJournalWriter({ store, sessionId: SESSION });
    await first.append([
      prompt('u1'),
      prompt('u2'),
      { type: 'rewind', id: 'r', to: 'u1' } as unknown as JournalBody,
    ]);
    await first.close();
    const second = await createJournalWriter({ store, sessionId: SESSION });
    await second.append([
      prompt('u3'),
      { type: 'rewind', id: 'r2', to: 'u2' } as unknown as JournalBody,
      prompt('u4'),
    ]);
    expect(
      (await readAll(store)).flatMap((entry) => ('uuid' in entry ? [[entry.uuid, entry.parentUuid]] : [])),
    ).toEqual([
      ['u1', null],
      ['u2', 'u1'],
      ['u3', 'u1'],
      ['u4', 'u2'],
    ]);
  });

  it('takes nothing once it is closed', async () => {
    const store = memory();
    const writer = await createJournalWriter({ store, sessionId: SESSION });
    writer.later([title(1)]);
    await writer.close();
    writer.later([title(2)]);
    await new Promise((resolve) => setImmediate(resolve));
    await expect(writer.append([title(3)])).rejects.toMatchObject({ code: 'engine_closed' });
    expect(await readAll(store)).toHaveLength(1);
  });
});

describe('a line', () => {
  it('of a record from another journal has the envelope of its own', () => {
    const [entry] = asEntries([title(1)]);
    const prefix = sessionPrefix({ sessionId: 'other', cwd: '/other', version: '2' });
    const decoded = decodeLine(Buffer.from(encodeRecord(entry as never, { seq: 9, epoch: 3 }, prefix, 0)));
    expect(decoded).toMatchObject({
      kind: 'ok',
      entry: { id: 't1', seq: 9, epoch: 3, sessionId: 'other', cwd: '/other' },
    });
  });

  it.each(['v', 'seq', 'epoch'])('with a sum and without a number in %s is no record', (key) => {
    const line = { v: 1, seq: 1, epoch: 1, type: 'title', id: 't', sum: '' };
    expect(decodeLine(Buffer.from(resealed(line))).kind).toBe('ok');
    expect(decodeLine(Buffer.from(resealed({ ...line, [key]: 'x' }))).kind).toBe('torn');
  });
});
