/**
 * Wake-ups from other processes. One connection per process listens and passes each notification on to those
 * who watch that session. A notification only says "look again": what has happened is in the tables.
 */

import { systemClock } from '@turnwright/base/clock.ts';
import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import type { Database, RunStatement } from './database.ts';

/**
 * What happened, to a session, (`limit`) to a provider or (`order`) to what hands runs to workers: the first
 * word of a notification's payload.
 */
type Happening =
  | 'inbox'
  | 'interrupt'
  | 'answer'
  | 'run'
  | 'order'
  | 'follow'
  | 'journal'
  | 'lease'
  | 'limit';

export interface Listener {
  /**
   * Calls back after each such notification, with its session. Without a session: for all of them. Also calls
   * back when notifications may have been missed (then without a session, if none is watched): at the start,
   * after a lost connection, and each second for as long as none arrive. Returns a function that stops it.
   */
  watch(what: Happening, sessionId: string | undefined, heard: (sessionId?: string) => void): () => void;
  /** The same as a loop: yields at once and after each call, and ends on abort. */
  wakes(what: Happening, sessionId: string | undefined, signal: AbortSignal): AsyncIterable<void>;
  close(): Promise<void>;
}

interface ListenerOptions {
  readonly clock?: Pick<Clock, 'sleep' | 'timer'> | undefined;
}

const CHANNEL = 'turnwright';
/** How often the connection is checked. */
const CHECK_MS = 2_500;
/** How often watchers look for themselves, and how soon it connects again, while there is none. */
const ALONE_MS = 1_000;
/** A connection whose own notification did not come back within this time is replaced. */
const ANSWER_MS = 5_000;

/** Sends one, within the caller's transaction: it arrives when that is committed. */
export function notify(run: RunStatement, what: Happening, sessionId: string): Promise<unknown> {
  return run('select pg_notify($1, $2)', [CHANNEL, `${what} ${sessionId}`]);
}

/** Connects in the background: watchers poll until it has. */
export function createListener(
  database: Pick<Database, 'connect'>,
  { clock = systemClock }: ListenerOptions = {},
): Listener {
  return new ProcessListener(database, clock);
}

class ProcessListener implements Listener {
  readonly #database: Pick<Database, 'connect'>;
  readonly #clock: Pick<Clock, 'sleep' | 'timer'>;
  readonly #closing = new AbortController();
  readonly #watchers = new Map<string, Set<(sessionId?: string) => void>>();
  readonly #running: Promise<unknown>;
  #hears = false;

  constructor(database: Pick<Database, 'connect'>, clock: Pick<Clock, 'sleep' | 'timer'>) {
    this.#database = database;
    this.#clock = clock;
    this.#running = Promise.all([this.#run(), this.#wakeWhileLost()]);
  }

  watch(what: Happening, sessionId: string | undefined, heard: (sessionId?: string) => void): () => void {
    const key = formatKey(what, sessionId);
    const watchers = this.#watchers.get(key) ?? new Set();
    this.#watchers.set(key, watchers);
    const watcher = (id?: string) => heard(id);
    watchers.add(watcher);
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(key) === watchers) this.#watchers.delete(key);
    };
  }

  async *wakes(what: Happening, sessionId: string | undefined, signal: AbortSignal): AsyncGenerator<void> {
    let wake: () => void = () => undefined;
    let awake = true;
    const heard = () => {
      awake = true;
      wake();
    };
    const stop = this.watch(what, sessionId, heard);
    signal.addEventListener('abort', heard);
    try {
      while (!signal.aborted) {
        if (!awake) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        awake = false;
        yield;
      }
    } finally {
      stop();
      signal.removeEventListener('abort', heard);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  /** One connection after the other, until it is closed. */
  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#listen().catch(() => undefined);
      this.#hears = false;
      this.#wakeAll();
      await this.#pause(ALONE_MS);
    }
  }

  async #wakeWhileLost(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      if (!this.#hears) this.#wakeAll();
      await this.#pause(ALONE_MS);
    }
  }

  /** Rejects when the connection is lost or does not pass notifications on. */
  async #listen(): Promise<void> {
    const connection = await this.#database.connect();
    try {
      // A channel of its own shows whether notifications arrive at all.
      const own = `${CHANNEL}_${uuid()}`;
      let echo: () => void = () => undefined;
      connection.onNotification((payload) => (payload === own ? echo() : this.#heard(payload)));
      const lost = new Promise<never>((_, reject) => {
        connection.onEnd(() => reject(new Error('The connection was lost.')));
      });
      lost.catch(() => undefined);
      await Promise.race([lost, connection.run(`listen ${CHANNEL}; listen "${own}"`)]);
      this.#hears = true;
      this.#wakeAll();
      while (!this.#closing.signal.aborted) {
        const echoed = new Promise<void>((resolve) => {
          echo = resolve;
        });
        const asked = connection.run('select pg_notify($1, $1)', [own]).then(() => echoed);
        await this.#inTime(Promise.race([lost, asked]));
        await Promise.race([lost, this.#pause(CHECK_MS)]);
      }
    } finally {
      await connection.close().catch(() => undefined);
    }
  }

  async #inTime(work: Promise<void>): Promise<void> {
    let stop = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      stop = this.#clock.timer(ANSWER_MS, () => reject(new Error('No notification came back.')));
    });
    await Promise.race([work, late]).finally(stop);
  }

  #heard(payload: string): void {
    const space = payload.indexOf(' ');
    const what = payload.slice(0, space) as Happening;
    const sessionId = payload.slice(space + 1);
    for (const watched of [sessionId, undefined])
      for (const watcher of this.#watchers.get(formatKey(what, watched)) ?? []) watcher(sessionId);
  }

  #wakeAll(): void {
    for (const watchers of [...this.#watchers.values()]) for (const watcher of [...watchers]) watcher();
  }

  async #pause(ms: number): Promise<void> {
    await this.#clock.sleep(ms, this.#closing.signal).catch(() => undefined);
  }
}

/** No session id contains a space. */
const formatKey = (what: Happening, sessionId = '*'): string => `${what} ${sessionId}`;
