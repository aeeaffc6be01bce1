/**
 * What finished runs of a folder have cost: one line each in `runs.log`, beside the sessions. It is small, so
 * that a forecast reads no journal, and it is read by a forecast alone.
 */
import { join } from 'node:path';
import { parseJson } from '@turnwright/base/bounded-json.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { FinishedRun } from '../../protocol/session/forecast.ts';

/** Beyond this size, in bytes, the older half is dropped: some 1,500 runs are left. */
const MOST_BYTES = 256 * 1024;
const MODE = 0o600;

const historyFile = (directory: string): string => join(directory, 'runs.log');

/** Oldest first; empty where there is no history. A line that cannot be read is passed over. */
export async function readRuns(files: PersistentFiles, directory: string): Promise<readonly FinishedRun[]> {
  const bytes = await files.readSmall(historyFile(directory)).catch(() => undefined);
  return bytes === undefined ? [] : linesIn(bytes).flatMap(readRun);
}

/** Rejects when it cannot be written. */
export async function addRun(files: PersistentFiles, directory: string, run: FinishedRun): Promise<void> {
  const path = historyFile(directory);
  const { at, model, agent, tokens, usd } = run;
  const handle = await files.openAppend(path, MODE);
  let size: number;
  try {
    await handle.append(`${JSON.stringify({ v: 1, at, model, agent, tokens, usd })}\n`);
    size = await handle.size();
  } finally {
    await handle.close();
  }
  if (size <= MOST_BYTES) return;
  const lines = linesIn(await files.readFile(path));
  const kept = lines.slice(Math.ceil(lines.length / 2));
  await files.writeAtomic(path, `${kept.join('\n')}\n`, { mode: MODE });
}

const linesIn = (bytes: Uint8Array): readonly string[] =>
  Buffer.from(bytes)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');

function readRun(line: string): readonly FinishedRun[] {
  try {
    const { at, model, agent, tokens, usd } = parseJson(line) as Partial<FinishedRun>;
    const figures = [at, tokens, usd];
    if (typeof model !== 'string' || typeof agent !== 'string') return [];
    if (!figures.every((figure) => typeof figure === 'number' && figure >= 0)) return [];
    return [{ at, model, agent, tokens, usd } as FinishedRun];
  } catch {
    return [];
  }
}
