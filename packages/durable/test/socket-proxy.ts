/** A socket in front of the one of Postgres, which can be cut like a cable, and be far away. */
import { mkdtempSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { onTestFinished } from 'vitest';

export interface SocketProxy {
  /** The same database, through the proxy. */
  readonly url: string;
  /** From here on nothing gets through, in either direction, and nobody is told. */
  cut(): void;
  restore(): void;
  /** The same for the connections that there are, and for good: a firewall has forgotten them. */
  forget(): void;
  /** How often a connection has asked something, and waited for the answer, until now. */
  roundTrips(): number;
}

const SOCKET = '.s.PGSQL.5432';

/** `delayMs`: how long everything is under way, in each direction; a function is asked for each piece. */
export async function startProxy(
  url: string,
  onFinished: typeof onTestFinished,
  { delayMs = 0 }: { readonly delayMs?: number | (() => number) } = {},
): Promise<SocketProxy> {
  const target = new URL(url).searchParams.get('host') ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'px-'));
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  let roundTrips = 0;
  const server = createServer((near) => {
    const far = connect(join(target, SOCKET));
    const pair = [near, far] as const;
    pairs.add(pair);
    let isAsked = false;
    near.on('data', () => {
      if (!isAsked) roundTrips += 1;
      isAsked = true;
    });
    far.on('data', () => {
      isAsked = false;
    });
    for (const [one, other] of [pair, [far, near] as const]) {
      // Nothing overtakes what was sent before it.
      let line = Promise.resolve();
      one.on('data', (chunk) => {
        const delay = typeof delayMs === 'number' ? delayMs : delayMs();
        const arrivesAt = performance.now() + delay;
        const arrive = async () => {
          await sleep(Math.max(0, arrivesAt - performance.now()));
          if (other.writable) other.write(chunk);
        };
        if (delay > 0) line = line.then(arrive);
        else if (!other.write(chunk)) one.pause();
      });
      other.on('drain', () => {
        if (!isCut) one.resume();
      });
      one.on('error', () => other.destroy());
      one.on('close', () => {
        pairs.delete(pair);
        other.destroy();
      });
      if (isCut) one.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(join(folder, SOCKET), resolve));
  const endAll = () => {
    for (const [near, far] of pairs) for (const socket of [near, far]) socket.destroy();
  };
  onFinished(() => {
    server.close();
    endAll();
  });
  const through = new URL(url);
  through.searchParams.set('host', folder);
  return {
    url: through.href,
    roundTrips: () => roundTrips,
    cut() {
      isCut = true;
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    forget() {
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    restore() {
      isCut = false;
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
  };
}
