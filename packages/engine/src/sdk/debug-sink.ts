/** Destination of the debug log, and the log itself. Loaded only when `debug` is set. */

import { dirname, resolve } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { createDebugLog, type DebugLog } from '../engine/session/debug-log.ts';
import { TurnwrightError } from '../protocol/errors.ts';
import type { Options } from './query-options.ts';

/** Rejects with `invalid_option` for a file that cannot be written. */
export async function openDebugLog(
  { debug, debugFile, stderr, cwd }: Options,
  files: PersistentFiles,
): Promise<DebugLog> {
  const filter = typeof debug === 'string' ? debug : undefined;
  if (debugFile === undefined)
    return createDebugLog({ write: stderr ?? onStderr, filter, nowMs: Date.now, close: async () => {} });
  const file = await openEnd(resolve(cwd ?? '.', debugFile), files);
  // Line by line and immediately: the last lines before a crash matter most.
  const append = async (line: string) => file.append(Buffer.from(`${line}\n`));
  // A log that cannot be written must not stop the run.
  const write = (line: string) => void append(line).catch(() => undefined);
  return createDebugLog({ write, filter, nowMs: Date.now, close: () => file.close().catch(() => undefined) });
}

const onStderr = (line: string) => void process.stderr.write(`${line}\n`);

/** Created with permissions for its owner only. */
async function openEnd(path: string, files: PersistentFiles): ReturnType<PersistentFiles['openAppend']> {
  try {
    // The permissions of an existing folder are left as they are.
    const folder = dirname(path);
    if ((await files.stat(folder)) === undefined) await files.makeDir(folder, 0o700);
    return await files.openAppend(path, 0o600);
  } catch (cause) {
    const why = errorText(cause);
    throw new TurnwrightError('invalid_option', `The option "debugFile" names no file to write to: ${why}`, {
      cause,
    });
  }
}
