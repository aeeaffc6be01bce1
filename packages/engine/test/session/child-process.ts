import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { writeOneFile } from '@turnwright/test/one-file.ts';

/** Bundles `child.ts` into a folder; returns how to start it. */
export function buildChild(folder: string): (...argv: string[]) => ChildProcess {
  const outfile = join(folder, 'child.mjs');
  writeOneFile(fileURLToPath(new URL('./child.ts', import.meta.url)), outfile);
  return (...argv) => spawn(process.execPath, [outfile, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Every whole line the child has said, until it ends or `enough` says so. */
export async function linesOfChild(
  child: ChildProcess,
  enough: (lines: readonly string[]) => boolean,
): Promise<string[]> {
  const lines: string[] = [];
  if (child.stdout === null) return lines;
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (enough(lines)) break;
  }
  return lines;
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
