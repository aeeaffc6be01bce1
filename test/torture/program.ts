/** Programs in processes of their own, with plain Node and the built library: what is measured is what is installed. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * Yields the lines of JSON that a program prints: one under `programs/`, or an absolute path. `within`: a command that runs
 * Node, with its arguments. Throws when it fails.
 */
export async function* linesOf<T>(
  program: string,
  order: object,
  nodeArgs: readonly string[] = [],
  within: readonly string[] = [],
): AsyncGenerator<T, void> {
  const path = resolve(import.meta.dirname, 'programs', program);
  const [command = '', ...args] = [...within, process.execPath, ...nodeArgs, path, JSON.stringify(order)];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  try {
    for await (const line of createInterface(child.stdout)) yield JSON.parse(line) as T;
    const code = await closed;
    if (code !== 0) throw new Error(`${program} ended with ${code}.`);
  } finally {
    child.kill('SIGKILL');
  }
}
