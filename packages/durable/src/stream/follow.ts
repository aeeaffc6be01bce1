/** The stream of a session, read from the database: what is there, then what arrives, in one order. */

import { systemClock } from '@turnwright/base/clock.ts';
import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import { isOutage } from '../postgres/database-error.ts';
import { RENEW_MS } from '../postgres/followers.ts';
import type { Pages } from './pages.ts';
import { parseCursor, START } from './position.ts';
import { type Followed, openReader, type StreamReader } from './reader.ts';

/** Which part of a session's stream to read. */
export interface FollowOptions {
  /**
   * Cursor of the last message that is known.
   * @default the beginning of the session
   */
  readonly from?: string | undefined;
  /**
   * uuid of a prompt, as `send` returns it: the stream ends behind the result that answers it. Without one (a
   * hook refused the prompt while it joined what ran), it ends when the session has nothing left to do.
   */
  readonly until?: string | undefined;
  /**
   * true: the stream ends when the session has nothing left to do. It goes on for a session that waits for an
   * answer or for a time.
   * @default false
   */
  readonly untilIdle?: boolean | undefined;
  /** Ends the stream, without an error. */
  readonly signal?: AbortSignal | undefined;
}

interface FollowParts {
  /** Of the session, for all of its followers in this process. */
  readonly pages: Pages;
  readonly clock?: Pick<Clock, 'sleep'> | undefined;
}

/** How soon a database that is away is asked again, in ms. */
const AWAY_MS = 200;

export async function* followSession(
  { pages, clock = systemClock }: FollowParts,
  { from, until, untilIdle = false, signal: given }: FollowOptions,
): AsyncGenerator<Followed, void, void> {
  const { outbox, sessionId } = pages;
  const start = from === undefined ? START : parseCursor(from);
  const ending = new AbortController();
  const end = () => ending.abort();
  given?.addEventListener('abort', end, { once: true });
  if (given?.aborted === true) end();
  const { signal } = ending;
  const pause = (ms: number) => clock.sleep(ms, signal).catch(() => undefined);
  let reader: StreamReader | undefined;
  let isKnown = false;
  const renew = async () => {
    while (!signal.aborted) {
      await pause(RENEW_MS);
      if (!signal.aborted) await outbox.follow(sessionId).catch(() => undefined);
    }
  };
  const renewing = renew();
  try {
    for await (const _ of outbox.wake(sessionId, signal)) {
      for (let more = true; more && !signal.aborted; ) {
        let page: readonly Followed[];
        try {
          if (!isKnown) await outbox.follow(sessionId);
          isKnown = true;
          reader ??= await openReader(pages, start, { until, untilIdle });
          ({ page, more } = await reader.read());
        } catch (error) {
          if (!isOutage(error)) throw error;
          // What is unlogged is lost with a server that crashed: the session has to be followed anew.
          isKnown = false;
          await pause(AWAY_MS);
          continue;
        }
        for (const followed of page) {
          if (signal.aborted) return;
          yield followed;
        }
        if (reader.isOver) return;
      }
    }
  } finally {
    end();
    given?.removeEventListener('abort', end);
    await renewing;
  }
}
