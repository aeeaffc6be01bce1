/** Processes that run the scripted session, to be killed. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeOneFile } from '../../../one-file.ts';
import { memoryFolder } from '../../memory-folder.ts';
import type { Errand } from './session-process.ts';

export interface Ended {
  readonly killed: boolean;
  /** What the consumer received, `ack TYPE UUID`. */
  readonly acknowledged: readonly string[];
  /** Calls that changed the disk; undefined when it was killed. */
  readonly calls: number | undefined;
}

export async function sessionProcesses(): Promise<(errand: Errand) => Promise<Ended>> {
  const program = join(memoryFolder(), 'session.mjs');
  writeOneFile(fileURLToPath(new URL('./session-process.ts', import.meta.url)), program, { minify: true });
  return async (errand) => {
    const child = spawn(process.execPath, ['--max-semi-space-size=32', program, JSON.stringify(errand)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const signal = await new Promise((resolve) => child.on('close', (_, by) => resolve(by)));
    const lines = said.split('\n').slice(0, -1);
    const calls = lines.find((line) => line.startsWith('calls '));
    if (signal !== 'SIGKILL' && calls === undefined)
      throw new Error(`The session failed: ${JSON.stringify(errand)}`);
    return {
      killed: signal === 'SIGKILL',
      acknowledged: lines.filter((line) => line.startsWith('ack ')),
      calls: calls === undefined ? undefined : Number(calls.slice(6)),
    };
  };
}

/** Does the work on all items, a few at a time. */
export async function inLanes<T>(lanes: number, items: readonly T[], work: (item: T) => Promise<void>) {
  const queue = [...items];
  const lane = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
