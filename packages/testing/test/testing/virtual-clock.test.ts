import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../src/testing/index.ts';

describe('virtualClock', () => {
  it('fires timers and sleeps in the order of their due times, each at its own time', async () => {
    const clock = virtualClock(1_000);
    const seen: string[] = [];
    clock.timer(30, () => seen.push(`late ${clock.monotonicMs()}`));
    clock.timer(10, () => seen.push(`early ${clock.monotonicMs()}`));
    const slept = clock.sleep(20).then(() => seen.push(`slept ${clock.monotonicMs()}`));
    expect(clock.pending).toBe(3);
    await clock.advance(25);
    await slept;
    expect(seen).toEqual(['early 10', 'slept 20']);
    expect(clock.nowMs()).toBe(1_025);
    await clock.advance(5);
    expect(seen).toEqual(['early 10', 'slept 20', 'late 30']);
    expect(clock.pending).toBe(0);
  });

  it('lets work that a timer sets off arm the next one within the same advance', async () => {
    const clock = virtualClock();
    const at: number[] = [];
    const work = (async () => {
      for (let i = 0; i < 3; i++) {
        await clock.sleep(10);
        at.push(clock.monotonicMs());
      }
    })();
    await clock.advance(100);
    await work;
    expect(at).toEqual([10, 20, 30]);
    expect(clock.monotonicMs()).toBe(100);
  });

  it('keeps timers of the same due time in the order they were set', async () => {
    const clock = virtualClock();
    const seen: number[] = [];
    for (const n of [1, 2, 3]) clock.timer(5, () => seen.push(n));
    await clock.advance(5);
    expect(seen).toEqual([1, 2, 3]);
  });

  it('ends a sleep at once on abort, with the reason, and forgets its timer', async () => {
    const clock = virtualClock();
    const controller = new AbortController();
    const slept = clock.sleep(1_000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(slept).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
    await expect(clock.sleep(1, controller.signal)).rejects.toThrow('enough');
  });

  it('cancels timers', async () => {
    const clock = virtualClock();
    const cancel = clock.timer(5, () => expect.unreachable());
    cancel();
    await clock.advance(10);
  });

  it('stands still: what is due fires late, in order', async () => {
    const clock = virtualClock();
    const at: string[] = [];
    clock.timer(20, () => at.push(`second at ${clock.monotonicMs()}`));
    clock.timer(10, () => at.push(`first at ${clock.monotonicMs()}`));
    clock.standStill(1_000);
    await clock.settle();
    expect(at).toEqual([]);
    await clock.advance(0);
    expect(at).toEqual(['first at 1000', 'second at 1000']);
  });

  it('moves the wall without moving time', async () => {
    const clock = virtualClock(1_000);
    await clock.advance(50);
    clock.setWall(9_000);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([9_000, 50]);
  });

  it('runs work to its end, however often it waits', async () => {
    const clock = virtualClock();
    const work = (async () => {
      await clock.sleep(60_000);
      await clock.sleep(3_600_000);
      return 'done';
    })();
    expect(await clock.runUntil(work)).toBe('done');
    expect(clock.monotonicMs()).toBe(3_660_000);
    await expect(clock.runUntil(Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});
