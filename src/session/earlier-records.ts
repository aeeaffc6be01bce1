/**
 * What a resume needs of a session's past, gathered while its file is looked through: each line is read once, and what
 * says much of submissions that are over, more than half of a journal, is not parsed: their decisions and results.
 */
import type { JournalEntry } from '../protocol/journal.ts';
import { bareRecord, type LineHead, parseLine } from './envelope.ts';
import type { JournalProblem, ScanListener } from './read-journal.ts';

export class EarlierRecords implements ScanListener {
  problems: readonly JournalProblem[] = [];
  readonly #entries: (JournalEntry | undefined)[] = [];
  /** Of the submission that is open so far: where they stand, and their lines. */
  #decisions: { readonly at: number; readonly line: Buffer }[] = [];
  #wentBack = false;

  line(line: Buffer, head: LineHead): boolean {
    const bare = bareRecord(line, head);
    if (bare?.type === 'decision') {
      // A copy: what was read around it need not stay.
      this.#decisions.push({ at: this.#entries.length, line: Buffer.from(line) });
      this.#entries.push(undefined);
      return true;
    }
    const entry = bare ?? parseLine(line);
    if (entry !== undefined) this.entry(entry);
    return entry !== undefined;
  }

  entry(entry: JournalEntry): void {
    const { type } = entry;
    if (type === 'result' || (type === 'submission' && entry.carriesOn !== true)) this.#decisions = [];
    if (type === 'rewind') this.#wentBack = true;
    this.#entries.push(entry);
  }

  problem(problem: JournalProblem): void {
    this.problems = [...this.problems, problem];
  }

  /** The line at this place is no longer in the file. */
  forget(offset: number): void {
    this.problems = this.problems.filter((problem) => problem.offset !== offset);
  }

  /** In the journal's order. undefined: a resume went back, so that a submission that was over may be open again. */
  entries(): readonly JournalEntry[] | undefined {
    if (this.#wentBack) return undefined;
    for (const { at, line } of this.#decisions) this.#entries[at] = parseLine(line);
    return this.#entries.filter((entry) => entry !== undefined);
  }
}
