/** Names that the processes of a user hold, and how they are given back. */
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holdPath } from '../../src/sandbox/places/held-names.ts';

/** The inode of the socket that holds the path. */
function inodeOf(path: string): string | undefined {
  const name = `-holds-${createHash('sha256').update(path).digest('hex').slice(0, 24)}-`;
  const lines = readFileSync('/proc/net/unix', 'latin1').split('\n');
  return lines.find((line) => line.includes(name))?.split(/\s+/)[6];
}

/** The descriptor of a socket of this process. */
function descriptorOf(inode: string | undefined): number {
  const found = readdirSync('/proc/self/fd').find((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === `socket:[${inode}]`;
    } catch {
      // It was the one of this search.
      return false;
    }
  });
  return Number(found);
}

describe.skipIf(process.platform !== 'linux')('a path that is held', () => {
  it('is in use by others for as long as they hold it', async () => {
    const path = `/held/${randomUUID()}`;
    const mine = await holdPath(path);
    const other = await holdPath(path);
    expect(await mine.letGo()).toBe(true);
    expect(await other.letGo()).toBe(false);
  });

  it('is not in use by others when a child of this process has yet to close what it inherited', async () => {
    const path = `/held/${randomUUID()}`;
    const held = await holdPath(path);
    const inode = inodeOf(path);
    const stdio = ['ignore', 'ignore', 'ignore', descriptorOf(inode)] as const;
    const child = spawn('sleep', ['60'], { stdio: [...stdio] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await new Promise((resolve) => child.once('spawn', resolve));
    expect(await held.letGo()).toBe(false);
    expect(inodeOf(path)).toBe(inode);
  });
});
