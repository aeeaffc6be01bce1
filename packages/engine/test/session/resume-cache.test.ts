import { cp, open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import {
  assistant,
  CWD,
  fixedClock,
  SESSION,
  toolResult,
  user,
} from '@turnwright/test/session/sample-journal.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JournalStore } from '../../src/protocol/ports.ts';
import type { JournalBody } from '../../src/protocol/session/journal.ts';
import { createFileJournalStore } from '../../src/session/journal/file-store.ts';
import { resumeSession } from '../../src/session/resume/resume.ts';
import { readAll } from './journal-entries.ts';
import { tempDir } from './temp-dir.ts';

const MEGABYTE = 1024 * 1024;

describe('the digest of a long journal', () => {
  let temp: Awaited<ReturnType<typeof tempDir>>;
  let journal: string;
  let digest: string;
  let problems: string[] = [];
  /** Files that were read in parts. */
  let read = new Set<string>();
  beforeEach(async () => {
    temp = await tempDir();
    journal = join(temp.path, `${SESSION}.jsonl`);
    digest = join(temp.path, SESSION, 'digest.jsonl');
    problems = [];
    read = new Set();
  });
  afterEach(() => temp.dispose());

  const files: PersistentFiles = {
    ...nodeFiles,
    readRange(path, ...rest) {
      read.add(path);
      return nodeFiles.readRange(path, ...rest);
    },
  };

  const makeStore = (version = '1.2.3', directory = temp.path): JournalStore =>
    createFileJournalStore({
      files,
      directory,
      cwd: CWD,
      clock: fixedClock,
      version,
      onProblem: (_session, { kind }) => problems.push(kind),
    });

  /** A submission with a prompt and an answer of so many bytes. */
  function submission(n: number, bytes: number): JournalBody[] {
    const id = `s${n}`;
    // Text that is not ASCII is decoded slowly: in the short form the first prompt alone has such a character.
    const quoted = inForm(n === 1, true) ? '“said”' : '"said"';
    const text = `${n} ${quoted} ${'x'.repeat(bytes)}`;
    const answer = assistant(`a${n}`, `msg_${n}`, { type: 'text', text: `answer ${n}` });
    return [
      { type: 'submission', id: `${id}/submission`, submission: id, model: 'm', permissionMode: 'default' },
      { ...user(`u${n}`, text, { kind: 'prompt' }), submission: id },
      {
        type: 'request',
        id: `${id}/1/1/request`,
        submission: id,
        iteration: 1,
        attempt: 1,
        model: 'm',
        maxTokens: 1,
        querySource: 'main',
      },
      { ...answer, submission: id, iteration: 1 },
      { type: 'cost', id: `${id}/cost`, submission: id, totalCostUsd: n, modelUsage: {} },
      { type: 'result', id: `${id}/result`, submission: id, result: { type: 'result' } },
    ];
  }

  /** Says these behind what there is, in one life of the session. */
  async function said(bodies: readonly JournalBody[], store = makeStore()): Promise<void> {
    const { epoch, head } = await store.takeOver(SESSION);
    await store.append(SESSION, epoch, head, bodies);
    await store.close(SESSION);
  }

  const nineMegabytes = () => [1, 2, 3].flatMap((n) => submission(n, 3 * MEGABYTE));

  /** A session that said nine megabytes, with its digest. */
  let made: Awaited<ReturnType<typeof tempDir>>;
  beforeAll(async () => {
    made = await tempDir();
    await said(nineMegabytes(), makeStore('1.2.3', made.path));
  });
  afterAll(() => made.dispose());
  const saidNineMegabytes = () => cp(made.path, temp.path, { recursive: true });

  /** What the journal comes to when it is read from its start. */
  const fromStart = async (version?: string) => resumeSession(await readAll(makeStore(version)));

  /** What a resume finds: the same as `start`. */
  async function resumed(version?: string, start?: Awaited<ReturnType<typeof fromStart>>) {
    read.clear();
    problems = [];
    const store = makeStore(version);
    const { toResume = [] } = await store.takeOver(SESSION, { toResume: true });
    const known = read.has(digest);
    const told = [...problems];
    await store.close(SESSION);
    const { decisions: _, view, ...found } = resumeSession(toResume);
    const { decisions: __, view: whole, ...there } = start ?? (await fromStart(version));
    expect(found).toEqual(there);
    expect(view.messages).toEqual(whole.messages);
    return { ...found, view, known, told };
  }

  async function changeByte(path: string, at: number): Promise<void> {
    const file = await open(path, 'r+');
    await file.write(Buffer.from([1]), 0, 1, at);
    await file.close();
  }

  it('is left by a session of 8 MB and more when it is closed, 0600, and read by a resume', async () => {
    await said(submission(1, MEGABYTE));
    await expect(stat(digest)).rejects.toMatchObject({ code: 'ENOENT' });
    await said(nineMegabytes());
    expect((await stat(digest)).mode & 0o777).toBe(0o600);
    await said(submission(4, 100));
    const found = await resumed();
    expect(found).toMatchObject({ known: true, told: [], totals: { totalCostUsd: 4 } });
    expect(found.view.messages.length).toBe(8);
  });

  it('F156 is no larger than the journal where results are kept once', async () => {
    const results = Array.from({ length: 90 }, (_, n): JournalBody => {
      const content = `${n} ${'x'.repeat(100_000)}`;
      return { ...toolResult(`r${n}`, `toolu_${n}`, content, { toolUseResult: content }), submission: 's1' };
    });
    await said([...submission(1, 10), ...results]);
    expect((await stat(digest)).size).toBeLessThan((await stat(journal)).size);
    expect((await resumed()).known).toBe(true);
  });

  it('is made anew when as much again was said', async () => {
    await saidNineMegabytes();
    const before = await readFile(digest);
    await said(submission(4, MEGABYTE));
    expect((await readFile(digest)).equals(before)).toBe(true);
    await said([5, 6, 7].flatMap((n) => submission(n, 3 * MEGABYTE)));
    expect((await stat(digest)).size).toBeGreaterThan(2 * before.length);
    expect((await resumed()).view.messages.length).toBe(14);
  });

  it('is ignored where the journal has changed: a changed byte is reported', async () => {
    await saidNineMegabytes();
    await changeByte(journal, MEGABYTE);
    const found = await resumed();
    expect(found.told).toEqual(['bad_checksum']);
    expect(found.view.messages.length).toBe(5);
  });

  it('counts for nothing when it is damaged, cut, or of another version', async () => {
    await saidNineMegabytes();
    const start = await fromStart();
    const whole = await readFile(digest);
    const last = whole.length - 2;
    for (const at of inForm([1, last], [1, 40, 200, MEGABYTE, last])) {
      await writeFile(digest, whole);
      await changeByte(digest, at);
      expect(await resumed(undefined, start)).toMatchObject({ told: [], totals: { totalCostUsd: 3 } });
    }
    await writeFile(digest, whole.subarray(0, -1000));
    expect((await resumed(undefined, start)).view.messages.length).toBe(6);
    await writeFile(digest, whole);
    expect((await resumed('1.2.4')).view.messages.length).toBe(6);
  });

  it('is not made of a journal that went back, and what was gone back behind stays gone', async () => {
    await said([
      ...nineMegabytes(),
      { type: 'rewind', id: 'rewind/1', submission: 'rewind/1', to: 'a1', uuids: ['u2', 'a2', 'u3', 'a3'] },
    ]);
    const store = makeStore();
    expect((await store.takeOver(SESSION, { toResume: true })).toResume).toBeUndefined();
    await store.close(SESSION);
    expect(resumeSession(await readAll(makeStore())).view.messages.length).toBe(2);
  });

  it('a rewind behind it is heard of', async () => {
    await saidNineMegabytes();
    await said([{ type: 'rewind', id: 'rewind/2', submission: 'rewind/2', to: 'a1', uuids: [] }]);
    const store = makeStore();
    expect((await store.takeOver(SESSION, { toResume: true })).toResume).toBeUndefined();
    await store.close(SESSION);
  });
});
