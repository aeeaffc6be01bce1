/**
 * Names that processes of one user hold on this machine: sockets without a file, which end with their
 * process, however it ends. Processes that do not share a network (containers) do not see each other's.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';

/** Of a user: what others hold under their names is nothing to us. */
const PREFIX = `turnwright-${process.getuid?.() ?? 0}`;
const LOCK_NAME = `${PREFIX}-lock`;
/** ms between two attempts to get the lock. */
const RETRY_MS = 5;
/** ms after which a lock counts as abandoned. What it guards takes a few. */
const GIVE_UP_MS = 10_000;

/** Runs `work` while no other process of this user does. Rejects when the lock is not to be had. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + GIVE_UP_MS;
  let lock = await listen(LOCK_NAME);
  while (lock === 'taken') {
    if (performance.now() > end)
      throw new Error(
        `Another process has kept the lock of the sandbox (the abstract socket @${LOCK_NAME}) for ${GIVE_UP_MS / 1000} s. End it and try again.`,
      );
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    lock = await listen(LOCK_NAME);
  }
  try {
    return await work();
  } finally {
    await closed(lock);
  }
}

/** That a process uses a path. */
interface HeldPath {
  /** Takes it back. Resolves to whether another process, or another thread of this one, uses the path too. */
  letGo(): Promise<boolean>;
}

export async function holdPath(path: string): Promise<HeldPath> {
  const name = `${hashName(path)}-${randomUUID()}`;
  const held = await listen(name);
  return {
    async letGo() {
      if (held !== 'taken') await closed(held);
      const sockets = await readFile('/proc/net/unix', 'latin1').catch(() => '');
      // Ours may still be there, in a child of this process that is about to start its program. Node fills
      // names up with zeros, so more may follow on its line.
      return sockets
        .split('\n')
        .some((line) => line.includes(`@${hashName(path)}-`) && !line.includes(`@${name}`));
    },
  };
}

function hashName(path: string): string {
  return `${PREFIX}-holds-${createHash('sha256').update(path).digest('hex').slice(0, 24)}`;
}

/** undefined: this machine has no such sockets, so no other process has any either. */
function listen(name: string): Promise<Server | 'taken' | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'EADDRINUSE' ? 'taken' : undefined),
    );
    server.listen({ path: `\0${name}`, exclusive: true }, () => resolve(server.unref()));
  });
}

async function closed(server: Server | undefined): Promise<void> {
  await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
}
