import { appendFile, copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { faultsOf } from '@turnwright/test/session/conversation.ts';
import { CWD, fixedClock, user } from '@turnwright/test/session/sample-journal.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileJournalStore } from '../../src/session/journal/file-store.ts';
import { createJournalWriter } from '../../src/session/journal/journal-writer.ts';
import { readEntries } from '../../src/session/journal/read-journal.ts';
import { resumeSession } from '../../src/session/resume/resume.ts';
import { tempDir } from './temp-dir.ts';

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../../test/fixtures/transcripts/${name}`, import.meta.url));

describe('transcripts of other programs and versions', () => {
  let temp: Awaited<ReturnType<typeof tempDir>>;
  let file: string;
  let store: ReturnType<typeof createFileJournalStore>;
  beforeEach(async () => {
    temp = await tempDir();
    file = join(temp.path, 'x1.jsonl');
    store = createFileJournalStore({ files: nodeFiles, directory: temp.path, cwd: CWD, clock: fixedClock });
  });
  afterEach(() => temp.dispose());

  const short = (uuid: string) => uuid.slice(-1);
  const load = async () => resumeSession(await readEntries(store, 'x1'));
  const view = async () => (await load()).view.messages.slice().map(({ uuid }) => short(uuid));

  it('F72 a transcript of the de-facto format resumes: parallel calls, signatures, no sub agents', async () => {
    await copyFile(fixture('de-facto-v2.jsonl'), file);
    const resumed = await load();
    expect(resumed.view.messages.slice().map(({ uuid }) => short(uuid))).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '9',
    ]);
    expect(faultsOf(resumed.view.messages)).toEqual([]);
    expect(resumed).toMatchObject({
      interrupted: undefined,
      title: 'Listing the files',
      totals: { modelUsage: { 'claude-x': { inputTokens: 40, outputTokens: 13, cacheReadInputTokens: 24 } } },
    });
    expect(resumed.view.messages.at(1)).toMatchObject({
      message: { content: [{ type: 'thinking', signature: 'c2lnbmF0dXJl' }] },
    });
    expect(resumed.view.messages.at(4)).toMatchObject({
      toolUseResult: { stdout: 'a.txt' },
      sourceAssistantUuid: expect.stringMatching(/3$/),
    });
    expect(Object.values(resumed.problems).every((count) => count === 0)).toBe(true);
  });

  it('F72 it is carried on in the same file, whose lines stay as they were', async () => {
    await copyFile(fixture('de-facto-v2.jsonl'), file);
    const before = await readFile(file);
    const writer = await createJournalWriter({ store, sessionId: 'x1' });
    await writer.append([
      { type: 'submission', id: 's1', submission: 's1', model: 'm', permissionMode: 'default' },
      { ...user('mine', 'and now?', { kind: 'prompt' }), submission: 's1' },
    ]);
    await writer.close();
    expect((await readFile(file)).subarray(0, before.length)).toEqual(before);
    const resumed = await load();
    expect(resumed.view.messages.length).toBe(8);
    expect(resumed.interrupted).toMatchObject({ id: 's1', next: 'ask' });
    const line = (await readFile(file, 'utf8')).trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(line)).toMatchObject({ parentUuid: 'b0000000-0000-4000-8000-000000000009', seq: 12 });
  });

  it('F01 its open calls are unknown: it wrote no intents', async () => {
    const lines = (await readFile(fixture('de-facto-v2.jsonl'), 'utf8')).split('\n');
    await writeFile(file, `${lines.slice(0, 6).join('\n')}\n`);
    const { interrupted: open } = await load();
    expect(open?.calls.map(({ plan }) => plan)).toEqual(['answered', 'unknown']);
    const writer = await createJournalWriter({ store, sessionId: 'x1' });
    await writer.append(open?.closing ?? []);
    await writer.close();
    expect(faultsOf((await load()).view.messages)).toEqual([]);
  });

  it('an unanswered prompt of another program is asked', async () => {
    const lines = (await readFile(fixture('de-facto-v2.jsonl'), 'utf8')).split('\n');
    await writeFile(file, `${lines.slice(0, 2).join('\n')}\n`);
    expect((await load()).interrupted).toMatchObject({ next: 'ask' });
  });

  it('an abandoned branch is left out', async () => {
    await copyFile(fixture('de-facto-v2.jsonl'), file);
    const record = (n: number, parent: number, text: string) =>
      JSON.stringify({
        type: 'user',
        uuid: `b0000000-0000-4000-8000-00000000000${n}`,
        parentUuid: `b0000000-0000-4000-8000-00000000000${parent}`,
        sessionId: 'x',
        timestamp: '2026-01-02T03:04:09.000Z',
        message: { role: 'user', content: text },
      });
    await appendFile(file, `${record(8, 1, 'asked differently')}\n`);
    expect(await view()).toEqual(['1', '8']);
  });

  it.each([
    ['missing', (lines: string[]) => lines.filter((_, index) => index !== 6)],
    [
      'in a circle',
      (lines: string[]) =>
        lines.map((line, index) =>
          index === 1
            ? line.replace('"parentUuid":null', '"parentUuid":"b0000000-0000-4000-8000-000000000009"')
            : line,
        ),
    ],
  ])('F73 parents that are %s: never a blank session', async (_what, damage) => {
    const lines = (await readFile(fixture('de-facto-v2.jsonl'), 'utf8')).split('\n');
    await writeFile(file, damage(lines).join('\n'));
    const resumed = await load();
    expect(resumed.problems.brokenParents).toBe(1);
    expect(resumed.view.messages.at(0)).toMatchObject({ message: { content: 'list the files' } });
    expect(resumed.view.messages.length).toBeGreaterThanOrEqual(7);
    expect(faultsOf(resumed.view.messages)).toEqual([]);
  });

  it('a compaction boundary of another program counts: summary, kept tail, what follows', async () => {
    await copyFile(fixture('de-facto-v2.jsonl'), file);
    const id = (n: string) => `b0000000-0000-4000-8000-00000000000${n}`;
    const common = { sessionId: 'x', timestamp: '2026-01-02T03:04:10.000Z' };
    const boundary = {
      ...common,
      type: 'system',
      subtype: 'compact_boundary',
      uuid: id('a'),
      parentUuid: null,
      compactMetadata: {
        trigger: 'auto',
        preTokens: 5,
        preserved_messages: { anchor_uuid: id('9'), uuids: [id('9')] },
      },
    };
    const summary = {
      ...common,
      type: 'user',
      uuid: id('b'),
      parentUuid: id('a'),
      isCompactSummary: true,
      message: { role: 'user', content: 'so far' },
    };
    const next = {
      ...common,
      type: 'user',
      uuid: id('c'),
      parentUuid: id('b'),
      message: { role: 'user', content: 'go on' },
    };
    await appendFile(file, [boundary, summary, next].map((each) => `${JSON.stringify(each)}\n`).join(''));
    expect(await view()).toEqual(['b', '9', 'c']);
  });

  it('F72 a journal of format 1 opens as it did when it was written', async () => {
    await copyFile(fixture('journal-v1.jsonl'), file);
    const before = await readFile(file);
    const resumed = await load();
    expect(resumed).toMatchObject({
      title: 'Greeting',
    });
    expect(resumed.view.messages.slice().map(({ uuid }) => uuid)).toEqual(['u1', 'a1', 'r1', 'a2']);
    expect(resumed.interrupted).toBeUndefined();
    expect(resumed.totals.totalCostUsd).toBe(0.5);
    expect(Object.values(resumed.problems).every((count) => count === 0)).toBe(true);
    expect(await readFile(file)).toEqual(before);
  });
});
