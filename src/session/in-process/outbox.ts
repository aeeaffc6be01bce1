import type { Frame, Outbox } from '../../protocol/ports.ts';
import { nextCall } from '../../util/async/next-call.ts';

/** Frames kept for followers that connect late or are slow. */
const OUTBOX_FRAMES = 1024;

interface SessionOutbox {
  readonly frames: Frame[];
  readonly waiting: Set<() => void>;
}

/**
 * Live frames in memory. A follower receives those with `n` above its cursor, in order; older ones are in the
 * journal. Frames of an older epoch are dropped once a newer one was seen.
 */
export function createMemoryOutbox(options: { readonly frames?: number } = {}): Outbox {
  const limit = options.frames ?? OUTBOX_FRAMES;
  const sessions = new Map<string, SessionOutbox>();

  function outboxOf(sessionId: string): SessionOutbox {
    let outbox = sessions.get(sessionId);
    if (outbox === undefined) {
      outbox = { frames: [], waiting: new Set() };
      sessions.set(sessionId, outbox);
    }
    return outbox;
  }

  return {
    publish(sessionId, frame) {
      const { frames, waiting } = outboxOf(sessionId);
      const last = frames.at(-1);
      if (last !== undefined && frame.epoch < last.epoch) return;
      if (last !== undefined && frame.epoch > last.epoch) frames.length = 0;
      frames.push(frame);
      if (frames.length > limit) frames.splice(0, frames.length - limit);
      for (const wake of waiting) wake();
    },

    async *follow(sessionId, cursor, signal) {
      const outbox = outboxOf(sessionId);
      let at = cursor;
      let epoch = outbox.frames.at(-1)?.epoch;
      while (!signal.aborted) {
        // A new owner numbers its frames anew.
        const speaks = outbox.frames.at(-1)?.epoch;
        if (epoch !== undefined && speaks !== epoch) at = 0;
        epoch = speaks;
        const next = outbox.frames.find((frame) => frame.n > at);
        if (next === undefined) await nextCall(outbox.waiting, signal);
        else {
          at = next.n;
          yield next;
        }
      }
    },
  };
}
