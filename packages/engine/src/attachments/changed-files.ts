import type { FileStat, PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { Life } from '../protocol/life.ts';
import type { ReadFileCache, ReadFileState } from '../protocol/tools/tool.ts';
import { type AttachmentSource, type FoundAttachment, NOTHING_FOUND } from './source.ts';

export interface ChangedFilesOptions {
  readonly readFileCache: ReadFileCache;
  readonly files: Pick<PersistentFiles, 'stat' | 'readFile'>;
  /**
   * Computes the hash that the cache holds, to distinguish touched from changed files. Absent: mtime and text
   * decide.
   */
  readonly hash?: ((bytes: Uint8Array) => string) | undefined;
  /** Files checked per turn, the latest first. Default 100. */
  readonly maxWatched?: number;
  /** Changes reported per turn; others wait. Default 10. */
  readonly maxReported?: number;
  /** Called once for each change that the model is notified of. */
  readonly onChange?: ((path: string, change: 'change' | 'unlink') => void) | undefined;
  /** Size up to which files are kept to show a diff, bytes. Default 128 KiB. */
  readonly maxDiffBytes?: number;
  /** Total size of the kept files, bytes. Default 4 MiB. */
  readonly maxRememberedBytes?: number;
}

/**
 * Known state of a file: the cache entry it belongs to, the last reported mtime, and the text at that time.
 */
interface Seen extends Contents {
  readonly state: ReadFileState;
  readonly mtimeMs: number;
}

/** Empty when the file is large, not text, or no longer kept. */
interface Contents {
  readonly text?: string | undefined;
  readonly hash?: string | undefined;
}

/**
 * Files that changed on disk since the model read or wrote them. Each change is reported once; it never marks
 * a file as read, so an edit of a changed file is still refused until the model has read it again. A change
 * by the session's own hooks counts as read once all of it was shown.
 */
export function changedFiles(options: ChangedFilesOptions): AttachmentSource {
  const { readFileCache, files, maxWatched = 100, maxReported = 10 } = options;
  const { maxDiffBytes = 128 * 1024, maxRememberedBytes = 4 * 1024 * 1024 } = options;
  const seen = new Map<string, Seen>();

  const read = async (path: string, stat: FileStat): Promise<Contents> => {
    if (stat.kind !== 'file' || stat.size > maxDiffBytes) return {};
    try {
      const bytes = await files.readFile(path);
      return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), hash: options.hash?.(bytes) };
    } catch {
      return {}; // gone again, or not text
    }
  };

  const remember = (path: string, entry: Seen) => {
    seen.delete(path);
    seen.set(path, entry);
    let total = 0;
    for (const { text } of seen.values()) total += text?.length ?? 0;
    for (const [other, { text, state, mtimeMs }] of seen) {
      if (total <= maxRememberedBytes) break;
      seen.set(other, { state, mtimeMs });
      total -= text?.length ?? 0;
    }
  };

  const look = async (
    path: string,
    state: ReadFileState,
    stat: FileStat | undefined,
  ): Promise<FoundAttachment | undefined> => {
    const before = seen.get(path);
    const known = before?.state === state ? before : undefined;
    if (stat === undefined) {
      if (known?.mtimeMs === GONE) return undefined;
      seen.set(path, { state, mtimeMs: GONE });
      options.onChange?.(path, 'unlink');
      return report(path, 'It no longer exists.');
    }
    const mtimeMs = Math.floor(stat.mtimeMs);
    const byHook = state.byHook?.told === true ? undefined : state.byHook;
    if (mtimeMs === known?.mtimeMs && byHook === undefined) return undefined;
    const { text, hash } =
      before?.mtimeMs === mtimeMs && byHook === undefined ? before : await read(path, stat);
    remember(path, { state, mtimeMs, text, hash });
    if (byHook !== undefined && byHook.hash === hash) {
      options.onChange?.(path, 'change');
      const base = byHook.before ?? known?.text;
      const change = await describeChange(path, base, text);
      const isKnown = base !== undefined && options.hash?.(Buffer.from(base)) === state.hash;
      const shown = { ...change, isWhole: change.isWhole && isKnown };
      // From here on the model knows what is in the file.
      if (shown.isWhole) Object.assign(state, { hash, mtimeMs: stat.mtimeMs, byHook: undefined });
      else state.byHook = { ...byHook, told: true };
      return reportOfHook(path, shown);
    }
    // Just read or written by the model: its text is kept for comparison.
    if (known === undefined && mtimeMs === Math.floor(state.mtimeMs)) return undefined;
    // Touched, not changed.
    if (text !== undefined && (text === known?.text || hash === state.hash)) return undefined;
    options.onChange?.(path, 'change');
    return report(path, (await describeChange(path, known?.text, text)).text);
  };

  const changesOf = async (
    watched: ReturnType<typeof latest>,
    life: Life,
  ): Promise<readonly FoundAttachment[]> => {
    forgetOthers(seen, readFileCache);
    const stats = await Promise.all(watched.map(([path]) => files.stat(path).catch(() => UNKNOWN)));
    const found: FoundAttachment[] = [];
    for (const [i, [path, state]] of watched.entries()) {
      if (life.aborted || found.length === maxReported) break;
      const stat = stats[i];
      const change = stat === UNKNOWN ? undefined : await look(path, state, stat);
      if (change !== undefined) found.push(change);
    }
    return found;
  };

  return {
    name: 'changed_files',
    collect(_, life) {
      const watched = latest(readFileCache, maxWatched);
      return watched.length === 0 ? NOTHING_FOUND : changesOf(watched, life);
    },
  };
}

const GONE = -1;
/** The file could not be checked: nothing is reported. */
const UNKNOWN = null;

function report(path: string, snippet: string): FoundAttachment {
  return {
    attachment: { type: 'edited_file', path, snippet },
    rendered: [
      reminder(
        `${path} changed on disk after you last read or wrote it, through the user, a command or another program. The change is meant; do not undo it unless you are asked to. Read the file again before you edit it.`,
        snippet,
      ),
    ],
  };
}

function reportOfHook(path: string, { text, isWhole }: ShownChange): FoundAttachment {
  const then = isWhole
    ? 'You need not read it again.'
    : 'Edit still works where its text is found once; read the file before you replace all of it.';
  return {
    attachment: { type: 'edited_file', path, snippet: text },
    rendered: [
      reminder(
        `A hook of this session, such as a formatter, changed ${path} after your last change. ${then}`,
        text,
      ),
    ],
  };
}

/** Characters of diff that are shown; the rest the model can read in the file. */
const MAX_SNIPPET_CHARS = 4000;
/** Above this many changed lines no diff is computed. */
const MAX_EDIT_LENGTH = 2000;

interface ShownChange {
  readonly text: string;
  /** Nothing of it was left out. */
  readonly isWhole: boolean;
}

/** The change between two texts, as a bounded unified diff. The diff library is loaded on first use. */
async function describeChange(
  path: string,
  before: string | undefined,
  after: string | undefined,
): Promise<ShownChange> {
  const not = (text: string) => ({ text, isWhole: false });
  if (after === undefined) return not('What changed cannot be shown: the file is large, or not text.');
  if (before === undefined) return not('What changed cannot be shown: its earlier text is not at hand.');
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch(path, path, before, after, undefined, undefined, {
    context: 2,
    maxEditLength: MAX_EDIT_LENGTH,
  });
  if (patch === undefined) return not('Most of it changed.');
  const lines = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  const text = bounded(lines);
  return { text, isWhole: text === lines.join('\n') };
}

function bounded(lines: readonly string[]): string {
  const kept: string[] = [];
  let chars = 0;
  for (const line of lines) {
    const shown = line.length > 500 ? `${line.slice(0, 500)}…` : line;
    chars += shown.length + 1;
    if (chars > MAX_SNIPPET_CHARS)
      return [...kept, `… ${lines.length - kept.length} more lines of changes`].join('\n');
    kept.push(shown);
  }
  return kept.join('\n');
}

function latest(cache: ReadFileCache, count: number): readonly [string, ReadFileState][] {
  const entries = [...cache.entries()];
  return entries.slice(-count).reverse();
}

function forgetOthers(seen: Map<string, Seen>, cache: ReadFileCache): void {
  for (const path of seen.keys()) if (cache.get(path) === undefined) seen.delete(path);
}
