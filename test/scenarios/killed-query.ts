/** Sessions in a process of their own, which is killed. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from '@turnwright/engine';
import { expect } from 'vitest';
import { writeQueryScript } from './engine-bundle.ts';
import { untilFile } from './processes.ts';
import { KEY } from './rehearse.ts';
import { tempFolder } from './temp-folder.ts';

/** Kills the process with SIGKILL as soon as `moment` resolves. */
export async function killedQuery(
  given: { readonly prompt: string; readonly options: Options },
  moment: () => Promise<void>,
): Promise<void> {
  const argument = JSON.stringify(given);
  const child = spawn(process.execPath, [writeQueryScript(tempFolder()), argument], { stdio: 'ignore' });
  const died = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
  await moment();
  child.kill('SIGKILL');
  expect(await died).toBe('SIGKILL');
}

/** What such a process is told of its model and its home. */
export const envOf = (server: { readonly url: string }, home: string) => ({
  ANTHROPIC_BASE_URL: server.url,
  ANTHROPIC_API_KEY: KEY,
  PATH: process.env['PATH'],
  TURNWRIGHT_HOME: home,
});

/** Kills it while a command runs that writes its own id to `pid`, and the command with it. */
export async function killedInCommand(server: { readonly url: string }, prompt: string) {
  const place = { cwd: tempFolder(), home: tempFolder(), sessionId: randomUUID() };
  const options: Options = {
    cwd: place.cwd,
    sessionId: place.sessionId,
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    env: envOf(server, place.home),
  };
  const pid = join(place.cwd, 'pid');
  await killedQuery({ prompt, options }, () => untilFile(pid));
  try {
    process.kill(-Number(readFileSync(pid, 'utf8')), 'SIGKILL');
  } catch {
    // it went with its session
  }
  return place;
}
