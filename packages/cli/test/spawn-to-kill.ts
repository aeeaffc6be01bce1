import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as later } from 'node:timers/promises';

interface Killed {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** It is killed once this holds. */
  when(): boolean;
}

/** Runs node with these words, and ends it and its commands by SIGKILL. */
export async function spawnToKill(words: readonly string[], { cwd, env, when }: Killed): Promise<void> {
  const child = spawn(process.execPath, words, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'ignore',
    detached: true,
  });
  const exited = once(child, 'exit');
  while (!when()) {
    if (child.exitCode !== null) throw new Error(`It ended by itself, with ${child.exitCode}.`);
    await later(20);
  }
  process.kill(child.pid as number, 'SIGKILL');
  await exited;
}
