/** A session that pages follow: read again while any of them looks, and sent as what changed. */
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { InspectedIteration, OpenInspection, SessionInspection } from '@turnwright/engine';
import { SAFE_HEADERS } from './guard-request.ts';

/** Pause between two looks at the journal, ms; a long reading is followed by a longer one. */
const LOOK_MS = 100;
const MOST_SHARE = 4;
/** A connection that says nothing is given up by some. */
const KEEP_ALIVE_MS = 15_000;

export class FollowedSession {
  readonly inspection: OpenInspection;
  #version = 0;
  #followers = 0;
  readonly #waiting = new Set<() => void>();

  constructor(inspection: OpenInspection) {
    this.inspection = inspection;
  }

  get version(): number {
    return this.#version;
  }

  data(): SessionInspection {
    return this.inspection.data();
  }

  async refresh(): Promise<void> {
    if (!(await this.inspection.refresh())) return;
    this.#version += 1;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Resolves at the next change, or after a time without one. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, KEEP_ALIVE_MS);
      const wake = () => done();
      const self = this;
      function done() {
        clearTimeout(timer);
        self.#waiting.delete(wake);
        resolve();
      }
      this.#waiting.add(wake);
    });
  }

  /** Reads it again and again until the returned function was called for each follower. */
  follow(): () => void {
    this.#followers += 1;
    if (this.#followers === 1) void this.#look();
    let isOver = false;
    return () => {
      if (!isOver) this.#followers -= 1;
      isOver = true;
    };
  }

  async #look(): Promise<void> {
    while (this.#followers > 0) {
      const began = performance.now();
      await this.refresh().catch(() => undefined);
      await wait(Math.max(LOOK_MS, MOST_SHARE * (performance.now() - began)));
    }
  }
}

/**
 * Server-sent events: first everything, then what changed since the last event of this connection. So a
 * connection that was cut leaves no gap, and nothing comes twice.
 */
export async function streamSession(session: FollowedSession, response: ServerResponse): Promise<void> {
  const leave = session.follow();
  response.once('close', leave);
  response.writeHead(200, { ...SAFE_HEADERS, 'content-type': 'text/event-stream; charset=utf-8' });
  const sent = new Map<string, InspectedIteration>();
  let version = -1;
  try {
    while (!response.destroyed) {
      const isNew = session.version !== version;
      version = session.version;
      response.write(isNew ? `data: ${eventOf(session.data(), sent)}\n\n` : ': still here\n\n');
      if (session.version === version) await session.changed();
    }
  } finally {
    leave();
  }
}

/** The head, the order of all iterations where it changed, and those that changed. */
function eventOf({ iterations, ...head }: SessionInspection, sent: Map<string, InspectedIteration>): string {
  const before = [...sent.keys()];
  const changed = iterations.flatMap((iteration) => {
    const last = sent.get(iteration.key);
    if (last === iteration) return [];
    const text = JSON.stringify(iteration);
    sent.set(iteration.key, iteration);
    return last !== undefined && JSON.stringify(last) === text ? [] : [text];
  });
  const isAppended = before.every((key, at) => iterations[at]?.key === key);
  if (!isAppended) {
    sent.clear();
    for (const iteration of iterations) sent.set(iteration.key, iteration);
  }
  const order = isAppended ? '' : `,"order":${JSON.stringify(iterations.map(({ key }) => key))}`;
  return `{"head":${JSON.stringify(head)}${order},"changed":[${changed.join(',')}]}`;
}
