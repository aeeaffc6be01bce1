/**
 * Where a session keeps what is too large for the conversation: beside its journal, else in a temporary
 * folder of this process, and in the blobs of the host if there are any.
 */
import { join } from 'node:path';
import { privateTemp, privateTempSoFar } from '@turnwright/base/files/temporary-folder.ts';
import type { FileData, PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { BlobStore } from '../../../protocol/ports.ts';
import { RESULTS_FOLDER } from '../../../session/kept-results.ts';
import type { QueryEngineConfig } from '../../config.ts';
import type { KeptResults } from '../../storage/stored-results.ts';

export interface SpillRoom {
  /** Where they are: none while nothing is there yet. */
  folders(): readonly string[];
  /**
   * Makes a path to write to, for a call; its folder is made first. The path rejects on a disk that takes
   * nothing.
   */
  fileOf(toolUseId: string): (name: string) => Promise<string>;
  /** The files of this call are complete; absent: they need not be kept elsewhere. */
  readonly hasRun: ((toolUseId: string) => Promise<unknown> | undefined) | undefined;
  /** Brings back what earlier processes of the session have kept elsewhere. */
  readonly restore: (() => Promise<void>) | undefined;
  result(result: {
    readonly toolUseId: string;
    readonly toolName: string;
    /** Of the file. */
    readonly data: FileData;
    /** Of its name. Default `txt`. */
    readonly ending?: 'json' | 'txt';
  }): Promise<{ readonly path: string }>;
}

export function composeSpill(
  { blobs, stderr }: QueryEngineConfig,
  {
    directory: ofSession,
    ...place
  }: {
    readonly sessionId: string;
    /** Of the session's files. */
    readonly directory: string | undefined;
    readonly files: PersistentFiles;
  },
): SpillRoom {
  const { files, sessionId } = place;
  const blobsOfSession = ofSession === undefined ? blobs : undefined;
  let opened: KeptResults | undefined;
  const open = async (store: BlobStore) => {
    const { createKeptResults } = await import('../../storage/stored-results.ts');
    opened ??= createKeptResults({ blobs: store, stderr, files, sessionId });
    return opened;
  };
  const kept = blobsOfSession && {
    keep: async (path: string) => (await open(blobsOfSession)).keep(path),
    restore: async () => (await open(blobsOfSession)).restore(),
  };
  /** Paths that calls were given, by call. */
  const unfinished = new Map<string, readonly string[]>();
  const below = (base: string) => join(base, sessionId, RESULTS_FOLDER);
  const file = async (name: string) => {
    const directory = below(ofSession ?? privateTemp());
    await files.makeDir(directory, 0o700);
    return join(directory, safe(name));
  };
  return {
    folders() {
      const base = ofSession ?? privateTempSoFar();
      return [...(base === undefined ? [] : [below(base)]), ...(opened?.folders() ?? [])];
    },
    fileOf: (toolUseId) =>
      kept === undefined
        ? file
        : async (name) => {
            const path = await file(name);
            unfinished.set(toolUseId, [...(unfinished.get(toolUseId) ?? []), path]);
            return path;
          },
    hasRun:
      kept &&
      ((toolUseId) => {
        const paths = unfinished.get(toolUseId);
        unfinished.delete(toolUseId);
        return paths && Promise.all(paths.map(kept.keep));
      }),
    restore: kept?.restore,
    async result({ toolUseId, data, ending = 'txt' }) {
      const path = await file(`${toolUseId}.${ending}`);
      await files.writeAtomic(path, data, { mode: 0o600 });
      await kept?.keep(path);
      return { path };
    },
  };
}

const safe = (name: string): string => name.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+/, '_');
