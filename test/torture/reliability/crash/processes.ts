/** Processes that run the scripted session, to be killed. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { bundled } from '../../bundled.ts';
import { memoryFolder } from '../../memory-folder.ts';
import type { Errand } from './session-process.ts';

const NODE_ARGS = ['--no-opt', '--max-semi-space-size=32'];

export interface Ended {
  readonly killed: boolean;
  /** What the consumer received, `ack TYPE UUID`. */
  readonly acknowledged: readonly string[];
  /** Calls that changed the disk; undefined when it was killed. */
  readonly calls: number | undefined;
  /** The copies that were asked for: the request that each was made at, and what the consumer had received before. */
  readonly copied: readonly { readonly from: number; readonly acknowledged: readonly string[] }[];
}

/**
 * What it costs to start a process is paid thousands of times: its code is compiled once, in a first life, and not
 * optimized in a life of a second.
 */
export async function sessionProcesses(): Promise<(errand: Errand) => Promise<Ended>> {
  const { file: program, remove } = await bundled('reliability/crash/session-process.ts', 'cjs');
  onTestFinished(remove);
  const start = join(import.meta.dirname, '../../programs/start-compiled.cjs');
  const run = async (errand: Errand, compiled: 'make' | 'use'): Promise<Ended> => {
    const args = [...NODE_ARGS, start, program, compiled, JSON.stringify(errand)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
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
      acknowledged: acks(lines),
      calls: calls === undefined ? undefined : Number(calls.slice(6)),
      copied: lines.flatMap((line, at) =>
        line.startsWith('copied ')
          ? [{ from: Number(line.slice(7)), acknowledged: acks(lines.slice(0, at)) }]
          : [],
      ),
    };
  };
  const first = { folder: memoryFolder(), iterations: 12, seed: 1, durability: 'process' } as const;
  await run({ script: first }, 'make');
  return (errand) => run(errand, 'use');
}

const acks = (lines: readonly string[]) => lines.filter((line) => line.startsWith('ack '));

/** Does the work on all items, a few at a time; `lane`: from 0. */
export async function inLanes<T>(
  lanes: number,
  items: readonly T[],
  work: (item: T, lane: number) => Promise<void>,
) {
  const queue = [...items];
  const run = async (lane: number) => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item, lane);
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)));
}
