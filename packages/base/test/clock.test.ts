import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_TIMER_MS, systemClock, systemRandom } from '../src/clock.ts';
import { systemIds } from '../src/ids/hash-and-uuid.ts';

/** Node's own timers and clocks stand still: what is tested is how they are used. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function sleepsFor(ms: number, signal?: AbortSignal) {
  let done = false;
  const sleep = systemClock.sleep(ms, signal).then(() => {
    done = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return { sleep, isDone: () => done };
}

describe('systemClock.sleep', () => {
  it('resolves when the time has passed, not before', async () => {
    const { isDone } = await sleepsFor(1_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(isDone()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isDone()).toBe(true);
  });

  it("takes delays that Node's timers do not", async () => {
    const { isDone } = await sleepsFor(MAX_TIMER_MS * 2);
    await vi.advanceTimersByTimeAsync(MAX_TIMER_MS + 1);
    expect(isDone()).toBe(false);
    await vi.advanceTimersByTimeAsync(MAX_TIMER_MS);
    expect(isDone()).toBe(true);
  });

  it.each([0, -5, Number.NaN, Number.NEGATIVE_INFINITY])('%d is no delay', async (ms) => {
    expect((await sleepsFor(ms)).isDone()).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects with the reason on abort, before or while it sleeps, and leaves no timer', async () => {
    const controller = new AbortController();
    const sleep = systemClock.sleep(1_000, controller.signal);
    controller.abort(new Error('stop'));
    await expect(sleep).rejects.toThrow('stop');
    await expect(systemClock.sleep(1_000, controller.signal)).rejects.toThrow('stop');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('systemClock.timer', () => {
  it('calls back once, and can be cancelled', async () => {
    const called = vi.fn();
    systemClock.timer(10, called);
    systemClock.timer(10, () => expect.unreachable())();
    await vi.advanceTimersByTimeAsync(100);
    expect(called).toHaveBeenCalledTimes(1);
  });

  it("takes delays that Node's timers do not, and can be cancelled on the way", async () => {
    const called = vi.fn();
    systemClock.timer(MAX_TIMER_MS + 1_000, called);
    const cancel = systemClock.timer(MAX_TIMER_MS + 1_000, () => expect.unreachable());
    await vi.advanceTimersByTimeAsync(MAX_TIMER_MS);
    expect(called).not.toHaveBeenCalled();
    cancel();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(called).toHaveBeenCalledTimes(1);
  });
});

describe('the rest', () => {
  it('tells wall and monotonic time, ids and chance', () => {
    const [wall, monotonic] = [systemClock.nowMs(), systemClock.monotonicMs()];
    vi.advanceTimersByTime(50);
    expect([systemClock.nowMs() - wall, systemClock.monotonicMs() - monotonic]).toEqual([50, 50]);
    expect(systemIds.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(systemRandom()).toBeLessThan(1);
  });
});
