/** Compares two states of a working copy, as git does. */
import { type GitPlace, runGitHere } from './run-git-here.ts';

interface ComparedFile {
  /** Relative to the root of the copy, with forward slashes. */
  readonly path: string;
  /** Of a renamed file. */
  readonly from?: string;
  readonly status: 'added' | 'changed' | 'removed' | 'renamed';
  /** Lines; undefined for a file that is not text. */
  readonly insertions?: number;
  readonly deletions?: number;
}

export interface CopyDifference {
  /** As `git diff` prints it; '' for none. */
  readonly text: string;
  readonly files: readonly ComparedFile[];
  /** Lines of all files. */
  readonly insertions: number;
  readonly deletions: number;
}

const STATUS: Readonly<Record<string, ComparedFile['status']>> = { A: 'added', D: 'removed', R: 'renamed' };

export async function compareTrees(before: string, after: string, place: GitPlace): Promise<CopyDifference> {
  if (before === after) return { text: '', files: [], insertions: 0, deletions: 0 };
  const compare = (...args: string[]) =>
    runGitHere(
      ['diff-tree', '-r', '-M', '--no-color', '--no-ext-diff', '--no-textconv', ...args, before, after],
      place,
    );
  const [text, states, counts] = await Promise.all([
    compare('-p'),
    compare('-z', '--name-status'),
    compare('-z', '--numstat'),
  ]);
  const statuses = readStatuses(states.split('\0'));
  const files = readCounts(counts.split('\0')).map(({ path, ...lines }) => ({
    path,
    ...(statuses.get(path) ?? { status: 'changed' as const }),
    ...lines,
  }));
  const sum = (key: 'insertions' | 'deletions') => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return { text, files, insertions: sum('insertions'), deletions: sum('deletions') };
}

type Lines = Pick<ComparedFile, 'path' | 'insertions' | 'deletions'>;

/** `R100\0old\0new\0` or `M\0path\0`. */
function readStatuses(fields: readonly string[]): Map<string, Pick<ComparedFile, 'status' | 'from'>> {
  const found = new Map<string, Pick<ComparedFile, 'status' | 'from'>>();
  for (let at = 0; at + 1 < fields.length; ) {
    const status = STATUS[fields[at]?.[0] ?? ''] ?? 'changed';
    const [first = '', second = ''] = fields.slice(at + 1);
    if (status === 'renamed') found.set(second, { status, from: first });
    else found.set(first, { status });
    at += status === 'renamed' ? 3 : 2;
  }
  return found;
}

/** `12\t3\tpath\0`, or `12\t3\t\0old\0new\0`; `-` where the content is not text. */
function readCounts(fields: readonly string[]): Lines[] {
  const found: Lines[] = [];
  for (let at = 0; at < fields.length; at += 1) {
    const [added = '', removed = '', path] = fields[at]?.split('\t') ?? [];
    if (path === undefined) continue;
    const isRenamed = path === '';
    if (isRenamed) at += 2;
    const lines = added === '-' ? {} : { insertions: Number(added), deletions: Number(removed) };
    found.push({ path: isRenamed ? (fields[at] ?? '') : path, ...lines });
  }
  return found;
}
