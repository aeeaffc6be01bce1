/** A long session against a model that never tires, both in processes of their own, so that memory can be measured. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface LongRun {
  readonly subtype: string;
  readonly sessionId: string;
  readonly turns: number;
  readonly compactions: number;
  /** Bytes in use after a garbage collection, at each sample. */
  readonly heap: readonly number[];
  readonly errors?: readonly string[];
}

export interface LongRunSetup {
  /** `work` and `home` are made in it. */
  readonly folder: string;
  readonly turns: number;
  readonly resultChars: number;
  readonly sampleEvery: number;
  readonly resume?: string;
  /** Megabytes; more ends the process. Default: Node's own limit. */
  readonly heapLimit?: number;
}

export async function runLong(setup: LongRunSetup): Promise<LongRun> {
  const { folder, turns, resultChars, sampleEvery, resume, heapLimit } = setup;
  const [cwd, home] = [join(folder, 'work'), join(folder, 'home')];
  mkdirSync(cwd, { recursive: true });
  const model = start('endless-model.mjs', [], String(turns));
  const [url] = (await once(createInterface(model.stdout as NodeJS.ReadableStream), 'line')) as [string];
  const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: home };
  const limit = heapLimit === undefined ? [] : [`--max-old-space-size=${heapLimit}`];
  const order = JSON.stringify({ cwd, env, resume, resultChars, sampleEvery });
  const run = start('long-run.mjs', ['--expose-gc', ...limit], order);
  const said = await (run.stdout as NodeJS.ReadableStream & { toArray(): Promise<Buffer[]> }).toArray();
  model.kill();
  return JSON.parse(Buffer.concat(said).toString('utf8')) as LongRun;
}

function start(program: string, nodeArgs: readonly string[], argument: string): ChildProcess {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [...nodeArgs, path, argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  return child;
}
