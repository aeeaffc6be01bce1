/**
 * Collects what a resume needs while a session file is scanned: each line is read once, and large records of
 * finished submissions, more than half of a journal, are not parsed. Omitted are their decisions, the
 * contents of their results, usage that a later record sums up, and blocks that are recorded again.
 */
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { bareResult, type LineHead, type PeekedLine, parseLine } from './envelope.ts';
import type { JournalProblem, ScanListener } from './read-journal.ts';

/**
 * Uncached bytes of a journal from which a cache is written (`digest.ts`): reading them takes about 50 ms.
 */
export const DIGEST_FROM_BYTES = 8 * 1024 * 1024;

interface Held {
  /** Index among the entries. */
  readonly at: number;
  line: Buffer;
  readonly seq: number;
}

export class EarlierRecords implements ScanListener {
  #problems: JournalProblem[] = [];
  readonly #entries: (JournalEntry | undefined)[];
  /** Decisions of the open submission. */
  #decisions: Held[] = [];
  #responses: Held[] = [];
  /** The last of its kind. */
  #cost: Held | undefined;
  /** What the session had cost when its last submission began. */
  #costBefore: readonly Held[] = [];
  #block: (Held & { readonly uuid: string }) | undefined;
  /** Lines before this place were copied to memory of their own. */
  #copied: number;
  #wentBack = false;

  /** `before`: the outcome of an earlier scan that ended where this one begins. */
  constructor(before: readonly JournalEntry[] = []) {
    this.#entries = [...before];
    this.#copied = before.length;
  }

  line(line: Buffer, head: PeekedLine): boolean {
    switch (head.type) {
      case 'decision':
        this.#decisions.push(this.#hold(line, head));
        return true;
      case 'response':
        this.#responses.push(this.#hold(line, head));
        return true;
      case 'cost':
        this.#cost = this.#hold(line, head);
        return true;
      case 'assistant':
        return this.#assistant(line, head);
      case 'result':
        return this.#other(bareResult(line, head) ?? parseLine(line));
      default:
        return this.#other(parseLine(line));
    }
  }

  #other(entry: JournalEntry | undefined): boolean {
    if (entry !== undefined) this.entry(entry);
    return entry !== undefined;
  }

  entry(entry: JournalEntry): void {
    const { type } = entry;
    const begins = type === 'submission' && entry.carriesOn !== true;
    if (type === 'result' || begins) this.#isOver();
    if (begins) this.#costBefore = [this.#cost, ...this.#uncounted()].filter((held) => held !== undefined);
    if (type === 'rewind') this.#wentBack = true;
    this.#entries.push(entry);
  }

  problem(problem: JournalProblem): void {
    this.#problems.push(problem);
  }

  get problems(): readonly JournalProblem[] {
    return this.#problems;
  }

  /** The line at this offset is no longer in the file. */
  forget(offset: number): void {
    this.#problems = this.#problems.filter((problem) => problem.offset !== offset);
  }

  /**
   * In the journal's order. undefined: a resume rewound the session, so a finished submission may be open
   * again.
   */
  entries(): readonly JournalEntry[] | undefined {
    if (this.#wentBack) return undefined;
    for (const held of this.#held()) this.#parse(held);
    return this.#entries.filter((entry) => entry !== undefined);
  }

  partIsOver(): void {
    for (const held of this.#held()) {
      if (held.at >= this.#copied) held.line = Buffer.from(held.line);
    }
    this.#copied = this.#entries.length;
  }

  #held(): Held[] {
    const last = [this.#cost, this.#block].filter((held) => held !== undefined);
    return [...this.#decisions, ...this.#responses, ...this.#costBefore, ...last];
  }

  #isOver(): void {
    this.#decisions = [];
    const uncounted = this.#uncounted();
    // The last one has the tokens of the conversation.
    this.#responses = uncounted.length > 0 ? uncounted : this.#responses.slice(-1);
  }

  /** Responses that the last sum does not contain. */
  #uncounted(): Held[] {
    const summed = this.#cost?.at ?? 0;
    return this.#responses.filter(({ at }) => at > summed);
  }

  /** A block that is recorded again keeps its place. */
  #assistant(line: Buffer, head: PeekedLine): boolean {
    const uuid = line.toString('latin1', head.fieldsAt, head.fieldsAt + UUID_BYTES);
    const block = this.#block;
    this.#block = undefined;
    if (block?.uuid !== uuid) {
      if (block !== undefined) this.#parse(block);
      this.#block = { ...this.#hold(line, head), uuid };
      return true;
    }
    const entry = parseLine(line);
    if (entry?.type === 'assistant' && entry.settled === true) {
      this.#entries[block.at] = { ...entry, seq: block.seq };
      return true;
    }
    this.#parse(block);
    return this.#other(entry);
  }

  #hold(line: Buffer, { seq }: LineHead): Held {
    const held = { at: this.#entries.length, line, seq };
    this.#entries.push(undefined);
    return held;
  }

  #parse({ at, line }: Held): void {
    this.#entries[at] = parseLine(line);
  }
}

const UUID_BYTES = ',"uuid":"00000000-0000-0000-0000-000000000000"'.length;
