import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { describe, expect, it } from 'vitest';
import { createAdmission } from '../../src/session/in-process/admission.ts';
import { createFileBlobStore, createMemoryBlobStore } from '../../src/session/in-process/blob-store.ts';
import { createMemoryInbox } from '../../src/session/in-process/inbox.ts';
import { tempDir } from './temp-dir.ts';

describe('inbox', () => {
  const item = (key: string) => ({ key, priority: 'next' as const, content: key });

  it('numbers items from 1 and takes a key once', async () => {
    const inbox = createMemoryInbox();
    expect(await inbox.put('s', item('a'))).toEqual({ n: 1, fresh: true });
    expect(await inbox.put('s', item('b'))).toEqual({ n: 2, fresh: true });
    expect(await inbox.put('s', item('a'))).toEqual({ n: 1, fresh: false });
    expect((await inbox.after('s', 1)).map(({ key }) => key)).toEqual(['b']);
    expect(await inbox.after('other', 0)).toEqual([]);
  });

  it('wakes for puts, also those made between two waits, and ends on abort', async () => {
    const inbox = createMemoryInbox();
    const controller = new AbortController();
    const wakes = inbox.wake('s', controller.signal)[Symbol.asyncIterator]();
    const first = wakes.next();
    await inbox.put('s', item('a'));
    expect((await first).done).toBe(false);
    await inbox.put('s', item('b'));
    expect((await wakes.next()).done).toBe(false);
    const last = wakes.next();
    controller.abort();
    expect((await last).done).toBe(true);
  });
});

describe('admission', () => {
  const need = (foreground: boolean) => ({ model: 'm', sessionId: 's', foreground });
  const { signal } = new AbortController();

  it('admits all calls without a limit', async () => {
    const admission = createAdmission();
    const permits = await Promise.all(
      Array.from({ length: 100 }, () => admission.acquire(need(true), signal)),
    );
    for (const permit of permits) permit.settle(undefined);
  });

  it('keeps to its limit, foreground first, and a permit counts once', async () => {
    const admission = createAdmission({ maxConcurrent: 1 });
    const order: string[] = [];
    const first = await admission.acquire(need(true), signal);
    const background = admission.acquire(need(false), signal).then((permit) => {
      order.push('background');
      permit.settle(undefined);
    });
    const foreground = admission.acquire(need(true), signal).then((permit) => {
      order.push('foreground');
      permit.settle(undefined);
    });
    first.settle(undefined);
    first.settle(undefined);
    await Promise.all([background, foreground]);
    expect(order).toEqual(['foreground', 'background']);
  });

  it('stops waiting on abort', async () => {
    const admission = createAdmission({ maxConcurrent: 1 });
    const held = await admission.acquire(need(true), signal);
    const controller = new AbortController();
    const waiting = admission.acquire(need(true), controller.signal);
    controller.abort('gone');
    await expect(waiting).rejects.toBe('gone');
    held.settle(undefined);
    (await admission.acquire(need(true), signal)).settle(undefined);
    await expect(admission.acquire(need(true), controller.signal)).rejects.toBe('gone');
  });
});

describe('blobs', () => {
  it('are files of their folder alone, 0600', async () => {
    const { path, dispose } = await tempDir();
    const directory = join(path, 'session', 'tool-results');
    const blobs = createFileBlobStore({ files: nodeFiles, directory });
    const plain = await blobs.put('toolu_01.txt', Buffer.from('one'));
    expect(plain).toBe(join(directory, 'toolu_01.txt'));
    expect((await stat(plain)).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const key of ['../../evil', '..', '.hidden', 'a/b', 'x'.repeat(500), 'ü']) {
      const file = await blobs.put(key, Buffer.from(key));
      expect(file.startsWith(`${directory}/`)).toBe(true);
      expect(file.slice(directory.length + 1)).not.toContain('/');
      expect(Buffer.from(await blobs.get(key)).toString()).toBe(key);
    }
    expect((await nodeFiles.readDir(directory)).length).toBe(7);
    await expect(blobs.get('absent')).rejects.toMatchObject({ code: 'storage_error' });
    await dispose();
  });

  it('in memory share nothing with their giver', async () => {
    const blobs = createMemoryBlobStore();
    const bytes = Buffer.from('abc');
    await blobs.put('k', bytes);
    bytes[0] = 0;
    expect(Buffer.from(await blobs.get('k')).toString()).toBe('abc');
    await expect(blobs.get('absent')).rejects.toMatchObject({ code: 'storage_error' });
  });
});
