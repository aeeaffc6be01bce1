/** The model of `scenarios/endless-model.mjs` in its process: so many turns for each base URL. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface EndlessModel {
  readonly url: string;
  stop(): void;
}

/** With `commandEvery` it also runs a command in each n-th turn. */
export async function startEndlessModel(turns: number, commandEvery?: number): Promise<EndlessModel> {
  const path = join(import.meta.dirname, '../scenarios/endless-model.mjs');
  const args = [path, String(turns), ...(commandEvery === undefined ? [] : [String(commandEvery)])];
  const model = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await once(createInterface(model.stdout), 'line')) as [string];
  return { url, stop: () => void model.kill() };
}
