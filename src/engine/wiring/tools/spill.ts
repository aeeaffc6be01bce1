/**
 * Where a session keeps what is too large for the conversation: beside its journal, else in a temporary
 * folder of this process.
 */
import { join } from 'node:path';
import type { PersistentFiles } from '../../../protocol/files.ts';
import { privateTemp, privateTempSoFar } from '../../../util/files/temporary-folder.ts';

export interface SpillRoom {
  /** Where they are: none while nothing is there yet. */
  folders(): readonly string[];
  /** A path to write to; its folder is made first. Rejects on a disk that takes nothing. */
  file(name: string): Promise<string>;
  result(result: {
    readonly toolUseId: string;
    readonly toolName: string;
    readonly text: string;
    /** Of the file. Default `txt`. */
    readonly ending?: 'json' | 'txt';
  }): Promise<{ readonly path: string }>;
}

export function composeSpill(
  files: PersistentFiles,
  sessionsDirectory: string | undefined,
  sessionId: string,
  durability: 'process' | 'power' = 'process',
): SpillRoom {
  const below = (base: string) => join(base, sessionId, 'tool-results');
  const file = async (name: string) => {
    const directory = below(sessionsDirectory ?? privateTemp());
    await files.makeDir(directory, 0o700);
    return join(directory, safe(name));
  };
  return {
    folders() {
      const base = sessionsDirectory ?? privateTempSoFar();
      return base === undefined ? [] : [below(base)];
    },
    file,
    async result({ toolUseId, text, ending = 'txt' }) {
      const path = await file(`${toolUseId}.${ending}`);
      // A record may name it from now on.
      await files.writeAtomic(path, text, { mode: 0o600, sync: durability === 'power' });
      return { path };
    },
  };
}

const safe = (name: string): string => name.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+/, '_');
