import { nextCall } from '@turnwright/base/async/promises.ts';
import { systemClock } from '@turnwright/base/clock.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Clock, Frame, JournalStore, Outbox, Place } from '../../protocol/ports.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';

/** Records of one page. */
const PAGE = 500;
const FOLLOWED_MS = 30_000;

interface MemoryOutbox extends Outbox {
  /** The same store: the owner of a session is who took it over here, and what is appended here wakes. */
  readonly journal: JournalStore;
}

interface Owned {
  epoch: number;
  /** By place. */
  frames: readonly (Frame & { readonly epoch: number })[];
  followedUntilMs: number;
  readonly waiting: Set<() => void>;
}

/** The stream of sessions of this process: frames in memory, beside the journal of any store. */
export function createMemoryOutbox(
  store: JournalStore,
  { clock = systemClock }: { readonly clock?: Pick<Clock, 'monotonicMs'> } = {},
): MemoryOutbox {
  const sessions = new Map<string, Owned>();

  function ownedOf(sessionId: string): Owned {
    const owned = sessions.get(sessionId) ?? {
      epoch: 0,
      frames: [],
      followedUntilMs: Number.NEGATIVE_INFINITY,
      waiting: new Set(),
    };
    sessions.set(sessionId, owned);
    return owned;
  }

  const wakeAll = ({ waiting }: Owned) => {
    for (const wake of waiting) wake();
  };

  return {
    journal: {
      ...store,
      async takeOver(sessionId, options) {
        const taken = await store.takeOver(sessionId, options);
        const owned = ownedOf(sessionId);
        owned.epoch = taken.epoch;
        wakeAll(owned);
        return taken;
      },
      async append(sessionId, ...given) {
        const appended = await store.append(sessionId, ...given);
        wakeAll(ownedOf(sessionId));
        return appended;
      },
    },

    async publish(sessionId, epoch, frames, cut) {
      const owned = ownedOf(sessionId);
      if (epoch !== owned.epoch) return { fenced: true };
      const kept = owned.frames.filter(({ at, isKept }) => isKept || at.seq >= cut);
      const isNew = ({ at }: Frame) => !owned.frames.some((known) => compare(known.at, at) === 0);
      // What is read shares nothing with what was published.
      const added = frames.filter(isNew).map((frame) => ({ ...structuredClone(frame), epoch }));
      owned.frames = [...kept, ...added].toSorted((a, b) => compare(a.at, b.at));
      wakeAll(owned);
      return { followedMs: Math.max(0, owned.followedUntilMs - clock.monotonicMs()) };
    },

    async read(sessionId, behind) {
      const owned = sessions.get(sessionId);
      // Before the records: what is behind one of them is not there without it.
      const frames = owned?.frames ?? [];
      if (!(await store.exists(sessionId)))
        throw new TurnwrightError('session_not_found', `There is no session ${sessionId}.`);
      const all: JournalEntry[] = [];
      for await (const entry of store.read(sessionId, behind.seq + 1)) all.push(entry);
      const head = all.at(-1)?.seq ?? behind.seq;
      const upto = Math.min(head, behind.seq + PAGE);
      return {
        epoch: owned?.epoch ?? all.at(-1)?.epoch ?? 0,
        head,
        upto,
        entries: all.filter(({ seq }) => seq <= upto),
        frames: frames.filter(({ at }) => compare(at, behind) > 0 && at.seq <= upto),
      };
    },

    async follow(sessionId) {
      ownedOf(sessionId).followedUntilMs = clock.monotonicMs() + FOLLOWED_MS;
    },

    async *wake(sessionId, signal) {
      const { waiting } = ownedOf(sessionId);
      while (!signal.aborted) {
        const next = nextCall(waiting, signal);
        yield;
        await next;
      }
    },
  };
}

const compare = (a: Place, b: Place): number => a.seq - b.seq || a.n - b.n;
