import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { thisProcess } from '@turnwright/base/process/process-identity.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LeaseStore } from '../../src/protocol/ports.ts';
import { createMemoryLeaseStore } from '../../src/session/in-process/lease-store.ts';
import { createFileLeaseStore } from '../../src/session/lease/lease.ts';
import { tempDir } from './temp-dir.ts';

/** A clock whose timers fire by hand. */
function handClock(startMs = Date.now()) {
  const timers = new Set<() => void>();
  return {
    nowMs: () => startMs,
    timer(_ms: number, callback: () => void) {
      const once = () => {
        timers.delete(once);
        callback();
      };
      timers.add(once);
      return () => timers.delete(once);
    },
    fire() {
      for (const timer of [...timers]) timer();
    },
    waiting: () => timers.size,
  };
}

describe.each(['file', 'memory'] as const)('lease (%s)', (kind) => {
  let temp: Awaited<ReturnType<typeof tempDir>>;
  let store: LeaseStore;
  beforeEach(async () => {
    temp = await tempDir();
    store =
      kind === 'memory'
        ? createMemoryLeaseStore()
        : createFileLeaseStore({ files: nodeFiles, directory: temp.path, clock: handClock() });
  });
  afterEach(() => temp.dispose());

  it('F69 a living owner keeps others out, with a sentence that says who', async () => {
    const lease = await store.acquire('s1');
    await expect(store.acquire('s1')).rejects.toMatchObject({
      code: 'session_in_use',
      message: expect.stringMatching(/process \d+ on .+ take it over/),
    });
    const other = await store.acquire('s2');
    await other.release();
    await lease.release();
    await lease.release();
    await (await store.acquire('s1')).release();
  });

  it('a takeover by force goes through', async () => {
    const first = await store.acquire('s1');
    const second = await store.acquire('s1', { takeOver: true });
    await first.release();
    await expect(store.acquire('s1')).rejects.toMatchObject({ code: 'session_in_use' });
    await second.release();
    await (await store.acquire('s1')).release();
  });
});

describe('lease file', () => {
  let temp: Awaited<ReturnType<typeof tempDir>>;
  let lock: string;
  beforeEach(async () => {
    temp = await tempDir();
    lock = join(temp.path, 's1.lock');
  });
  afterEach(() => temp.dispose());

  const open = (clock = handClock()) =>
    createFileLeaseStore({ files: nodeFiles, directory: temp.path, clock });

  it.each([
    ['a dead process', { ...thisProcess(), pid: 2 ** 22 + 7 }],
    ['a pid that is used again', { ...thisProcess(), startTime: '1' }],
    ['a pid that is none', { ...thisProcess(), pid: -1 }],
  ])('F69 the lock of %s is taken over', async (_who, identity) => {
    await writeFile(lock, JSON.stringify({ ...identity, nonce: 'old' }));
    await (await open().acquire('s1')).release();
    expect(await nodeFiles.readDir(temp.path)).toEqual([]);
  });

  it('a lock that is no lock is taken over', async () => {
    await writeFile(lock, 'half a l');
    await (await open().acquire('s1')).release();
  });

  it('an owner on another host lives while its lock is renewed', async () => {
    await writeFile(lock, JSON.stringify({ ...thisProcess(), host: `not-${hostname()}`, nonce: 'theirs' }));
    await expect(open().acquire('s1')).rejects.toMatchObject({ code: 'session_in_use' });
    const long = new Date(Date.now() - 200_000);
    await utimes(lock, long, long);
    await (await open().acquire('s1')).release();
  });

  it('of several that find it stale, one gets it', async () => {
    await writeFile(lock, JSON.stringify({ ...thisProcess(), pid: 2 ** 22 + 7, nonce: 'old' }));
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => open().acquire('s1')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') await outcome.value.release();
    expect(await nodeFiles.readDir(temp.path)).toEqual([]);
  });

  it('the owner shows that it lives, and learns that it lost', async () => {
    const clock = handClock();
    const lease = await open(clock).acquire('s1');
    const size = (await stat(lock)).size;
    clock.fire();
    await expect.poll(async () => (await stat(lock)).size).toBe(size + 1);
    await expect.poll(() => clock.waiting()).toBe(1);
    JSON.parse(await readFile(lock, 'utf8'));
    const next = await open().acquire('s1', { takeOver: true });
    clock.fire();
    await expect.poll(() => lease.signal.reason).toBe('lease_lost');
    await lease.release();
    expect((await nodeFiles.stat(lock))?.kind).toBe('file');
    expect(clock.waiting()).toBe(0);
    await next.release();
  });

  it('sessions beside each other share a file under names of their own, and one beat', async () => {
    const clock = handClock();
    const store = open(clock);
    const [first, second] = await Promise.all([store.acquire('s1'), store.acquire('s2')]);
    const other = join(temp.path, 's2.lock');
    expect((await stat(other)).ino).toBe((await stat(lock)).ino);
    expect(clock.waiting()).toBe(1);
    const size = (await stat(other)).size;
    clock.fire();
    await expect.poll(async () => (await stat(other)).size).toBe(size + 1);
    await first.release();
    expect(await nodeFiles.readDir(temp.path)).toEqual(['s2.lock']);
    await expect(open().acquire('s2')).rejects.toMatchObject({ code: 'session_in_use' });
    await expect.poll(() => clock.waiting()).toBe(1);
    await second.release();
    expect(await nodeFiles.readDir(temp.path)).toEqual([]);
    expect(clock.waiting()).toBe(0);
  });

  it('a lock that was taken over lends its name to no other session', async () => {
    const store = open();
    const first = await store.acquire('s1');
    const theirs = await open().acquire('s1', { takeOver: true });
    const second = await store.acquire('s2');
    expect(await readFile(join(temp.path, 's2.lock'), 'utf8')).not.toBe(await readFile(lock, 'utf8'));
    await first.release();
    await second.release();
    expect(await nodeFiles.readDir(temp.path)).toEqual(['s1.lock']);
    await theirs.release();
  });

  it('where a file has one name only, each session has a file', async () => {
    const link = () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
    const store = createFileLeaseStore({
      files: { ...nodeFiles, link },
      directory: temp.path,
      clock: handClock(),
    });
    const leases = await Promise.all([store.acquire('s1'), store.acquire('s2')]);
    expect((await nodeFiles.readDir(temp.path)).toSorted()).toEqual(['s1.lock', 's2.lock']);
    for (const lease of leases) await lease.release();
    expect(await nodeFiles.readDir(temp.path)).toEqual([]);
  });
});
