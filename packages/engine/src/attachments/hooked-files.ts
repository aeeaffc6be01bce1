/**
 * Files that a hook of the session changes, as a formatter does after an edit. The change is the session's
 * own: an edit goes on, while a whole file is replaced only once the model has seen the change, which
 * `changedFiles` shows.
 */

import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { FileStat, PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { HookCall } from '../protocol/tools/hook.ts';
import type { ReadFileCache, ReadFileState } from '../protocol/tools/tool.ts';

export interface HookedFiles {
  /** Runs hooks, and notes which files changed meanwhile. */
  around<T>(call: HookCall, run: () => Promise<T>): Promise<T>;
}

/** Hooks that may change files of an agent. */
export interface WatchedHooks {
  watch(files: HookedFiles): void;
}

interface HookedFilesOptions {
  readonly readFileCache: ReadFileCache;
  readonly files: Pick<PersistentFiles, 'stat' | 'readFile'>;
}

/** Files that are looked at, the latest first. */
const MAX_WATCHED = 100;
/** Bytes up to which the text before is kept, to show the change. */
const MAX_KEPT_BYTES = 128 * 1024;

/** Hooks of these events run while nothing else of the session writes. */
const WATCHED: ReadonlySet<string> = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
]);

export function hookedFiles({ readFileCache, files }: HookedFilesOptions): HookedFiles {
  const statOf = (path: string) => files.stat(path).catch(() => undefined);
  const bytesOf = (path: string) => files.readFile(path).catch(() => undefined);

  const before = async (path: string, state: ReadFileState, named: boolean) => {
    const stat = await statOf(path);
    // What another program changed before is not the hook's.
    if (stat?.kind !== 'file' || !isKnown(state, stat)) return undefined;
    const text = named && stat.size <= MAX_KEPT_BYTES ? decodeText(await bytesOf(path)) : undefined;
    return { path, state, stat, text };
  };

  return {
    async around(call, run) {
      const entries = [...readFileCache.entries()].slice(-MAX_WATCHED);
      if (entries.length === 0 || !WATCHED.has(call.event)) return run();
      const named = pathIn(call);
      const known = await Promise.all(entries.map(([path, state]) => before(path, state, path === named)));
      const result = await run();
      for (const each of known) {
        if (each === undefined || readFileCache.get(each.path) !== each.state) continue;
        const { path, state, stat, text } = each;
        const now = await statOf(path);
        if (now === undefined || isSame(stat, now)) continue;
        const bytes = await bytesOf(path);
        const hash = bytes && sha256(bytes);
        if (hash === undefined || hash === state.hash) continue;
        // What another hook changed before is not shown yet, so its text is the one to compare with.
        const base = state.byHook === undefined ? text : state.byHook.before;
        state.byHook = { hash, mtimeMs: now.mtimeMs, before: base };
      }
      return result;
    },
  };
}

const isKnown = ({ mtimeMs, byHook }: ReadFileState, stat: FileStat) =>
  stat.mtimeMs === (byHook?.mtimeMs ?? mtimeMs);

const isSame = (one: FileStat, other: FileStat) =>
  one.mtimeMs === other.mtimeMs &&
  one.ctimeMs === other.ctimeMs &&
  one.size === other.size &&
  one.ino === other.ino;

function pathIn(call: HookCall): unknown {
  const { tool_input: input } = call as { readonly tool_input?: unknown };
  const { file_path, notebook_path } = (input ?? {}) as Readonly<Record<string, unknown>>;
  return file_path ?? notebook_path;
}

function decodeText(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
