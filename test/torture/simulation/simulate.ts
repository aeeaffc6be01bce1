/** Runs one seed to its end, and says what was violated. The same seed gives the same run. */
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import type { VirtualClock } from '@turnwright/testing';
import { SLOW_MS } from '../../properties/obedient-tools.ts';
import { leftovers, violationsOf } from './invariants.ts';
import { live, type Submitted } from './live.ts';
import { World } from './world.ts';

export interface Simulated {
  readonly violations: readonly string[];
  /** Makes a digest of all that was sent and recorded: equal for the same seed. */
  digest(): string;
  readonly requests: number;
  readonly processes: number;
}

/** Virtual time and turns of the event loop after which a run counts as endless. */
const MAX_MS = 48 * 3_600_000;
const MAX_TURNS = 30_000;
/** Turns of the event loop without a timer after which nothing will happen any more. */
const MAX_IDLE = 20;

/** `look`: called at the end, to see what has happened. */
export async function simulate(
  seed: number,
  look?: (world: World, submitted: readonly Submitted[], entries: readonly JournalEntry[]) => void,
): Promise<Simulated> {
  const world = new World(seed);
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  const unhandled: string[] = [];
  const onUnhandled = (error: unknown) =>
    unhandled.push(`unhandled: ${String((error as Error)?.stack ?? error)}`);
  process.on('unhandledRejection', onUnhandled);
  process.on('uncaughtException', onUnhandled);
  Object.assign(globalThis, timersOn(world.clock));
  try {
    const work = live(world);
    const stuck = await passTime(
      world.clock,
      work.catch((error: unknown) =>
        world.violations.push(`it threw ${String((error as Error)?.stack ?? error)}`),
      ),
    );
    const submitted = stuck === undefined ? await work.catch(() => []) : [];
    // The engine leaves a tool that does not hear of its abort. It goes on for a while, and nothing else does.
    if (stuck === undefined && world.processes.some(({ clock, running }) => !clock.isDead && running > 0)) {
      world.violations.push(...leftovers(world, { mayRun: true }));
      await passed(world, world.clock.sleep(SLOW_MS));
    }
    const entries = stuck === undefined ? await passed(world, world.entries()) : [];
    const violations = stuck === undefined ? violationsOf(world, entries, submitted) : [`L10.9 ${stuck}`];
    if (stuck === undefined) look?.(world, submitted, entries);
    return {
      violations: [...world.violations, ...violations, ...unhandled],
      digest: () => hashOf(JSON.stringify([entries, world.endpoint.bodies])),
      requests: world.endpoint.bodies.length,
      processes: world.processes.length,
    };
  } finally {
    for (const each of world.processes) each.kill();
    Object.assign(globalThis, real);
    process.off('unhandledRejection', onUnhandled);
    process.off('uncaughtException', onUnhandled);
  }
}

async function passed<T>(world: World, work: Promise<T>): Promise<T> {
  await passTime(world.clock, work);
  return work;
}

/** From timer to timer, until the work is done. A sentence: it never will be. */
async function passTime(clock: VirtualClock, work: Promise<unknown>): Promise<string | undefined> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  const startMs = clock.monotonicMs();
  const watch = async (): Promise<string | undefined> => {
    let idle = 0;
    for (let turns = 0; !isDone; turns++) {
      if (turns > MAX_TURNS) return `the run does not end: ${turns} turns of the event loop`;
      if (clock.monotonicMs() - startMs > MAX_MS) return 'the run does not end: two days have passed';
      idle = clock.pending > 0 ? 0 : idle + 1;
      if (idle > MAX_IDLE) return 'the run hangs: nothing is armed, and nothing happens';
      await new Promise((resolve) => setImmediate(resolve));
    }
    return undefined;
  };
  return clock.runUntil(Promise.race([work.then(() => undefined).finally(done), watch()]));
}

/** Graces that are real time elsewhere. */
function timersOn(clock: VirtualClock) {
  const unref = { unref: () => unref, ref: () => unref };
  return {
    setTimeout: (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => ({
      ...unref,
      cancel: clock.timer(ms, () => callback(...args)),
    }),
    clearTimeout: (timer: { cancel?: () => void } | undefined) => timer?.cancel?.(),
  };
}

function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16);
}
