/** What a server has reported of each file, and what of it is new since it was last taken. */

import { type CodeProblem, type FileProblems, isError, newProblems } from './problems.ts';

/** Files that are remembered beside those that are open; what is said of more is not heard. */
const MAX_FILES = 2_000;

export class ProblemStore {
  readonly #now = new Map<string, readonly CodeProblem[]>();
  /** What counts as there before. */
  readonly #known = new Map<string, readonly CodeProblem[]>();
  readonly #changed = new Set<string>();

  set(path: string, problems: readonly CodeProblem[], isOpen: boolean): void {
    if (!isOpen && this.#now.size >= MAX_FILES && !this.#now.has(path)) return;
    this.#now.set(path, problems);
    this.#changed.add(path);
  }

  /** What is reported of these files, or of all, was there before. */
  settle(paths: Iterable<string> = [...this.#changed]): void {
    for (const path of paths) {
      this.#known.set(path, this.#now.get(path) ?? []);
      this.#changed.delete(path);
    }
  }

  /** Something may be new. */
  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  /** What is new, once: of `first` errors and warnings, of other files the errors. */
  take(first: string | undefined): readonly FileProblems[] {
    const paths = [...this.#changed].sort((a, b) => Number(b === first) - Number(a === first));
    const found = paths.map((path): FileProblems => {
      const fresh = newProblems(this.#known.get(path) ?? [], this.#now.get(path) ?? []);
      return { path, problems: path === first ? fresh : fresh.filter(isError) };
    });
    this.settle(paths);
    return found.filter(({ problems }) => problems.length > 0);
  }
}
