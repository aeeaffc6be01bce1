/** The list that completes what is being typed: commands, their arguments, files. */
import type { ActionName } from '../input/actions.ts';
import type { Row } from '../renderer/frame.ts';
import { cells, cutRow } from '../text/cells.ts';
import type { Theme } from '../text/theme.ts';
import { oneLine } from '../text/visible.ts';
import type { Buffer } from './buffer.ts';

export interface Candidate {
  /** What takes the place of the part that is completed. */
  readonly text: string;
  readonly label: string;
  readonly detail?: string;
  /** More can be completed behind it: a folder, a command with arguments. */
  readonly continues?: boolean;
  /** A command that Enter completes without sending it: it would end something. */
  readonly waits?: boolean;
}

/** The part of the text that a source completes. */
interface Completed {
  readonly from: number;
  readonly query: string;
  /** Enter completes it and sends it, unless it continues. */
  readonly isCommand?: boolean;
  /** Only the Tab key asks for it. */
  readonly onlyByKey?: boolean;
}

export interface CompletionSource {
  /** Undefined: there is nothing of this kind before the cursor. */
  match(before: string, after: string): Completed | undefined;
  /** The best first. A rejection counts as none. */
  find(query: string): Promise<readonly Candidate[]>;
}

export interface Chosen {
  readonly from: number;
  readonly candidate: Candidate;
  readonly isCommand: boolean;
  /** It is written out already. */
  readonly isWritten: boolean;
}

/** What the keys of an open list do; other keys go on to the text. */
const LIST_ACTIONS = ['choosePrevious', 'chooseNext', 'accept', 'complete', 'interrupt', 'send'] as const;
export type ListAction = (typeof LIST_ACTIONS)[number];

export function isListAction(action: ActionName | undefined): action is ListAction {
  return (LIST_ACTIONS as readonly (string | undefined)[]).includes(action);
}

const MOST_ROWS = 6;

/** One list at a time. Answers that come when the text is another already are dropped. */
export class Completion {
  readonly #sources: readonly CompletionSource[];
  readonly #onChange: () => void;
  #open:
    | {
        readonly completed: Completed;
        readonly written: string;
        readonly candidates: readonly Candidate[];
        /** −1: none, until one is chosen. */
        chosen: number;
      }
    | undefined;
  /** Which question the next answer is for. */
  #asked = 0;
  /** The text for which the user closed the list. */
  #closedFor: string | undefined;

  constructor(sources: readonly CompletionSource[], onChange: () => void) {
    this.#sources = sources;
    this.#onChange = onChange;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** After each change of the text. `byKey`: the Tab key was pressed. */
  update({ text, cursor }: Buffer, byKey = false): void {
    const [before, after] = [text.slice(0, cursor), text.slice(cursor)];
    this.#asked += 1;
    if (!byKey && this.#closedFor === before) return;
    this.#closedFor = undefined;
    for (const source of this.#sources) {
      const completed = source.match(before, after);
      if (completed === undefined || (completed.onlyByKey === true && !byKey)) continue;
      void this.#ask(source, completed, before.slice(completed.from));
      return;
    }
    this.#open = undefined;
  }

  async #ask(source: CompletionSource, completed: Completed, written: string): Promise<void> {
    const asked = this.#asked;
    const candidates = await source.find(completed.query).catch(() => []);
    if (asked !== this.#asked) return;
    const isDone = candidates.length === 1 && candidates[0]?.text === written;
    this.#open =
      candidates.length === 0 || isDone
        ? undefined
        : { completed, written, candidates, chosen: firstChosen(written) };
    this.#onChange();
  }

  /** Closes the list until the text is another. */
  close({ text, cursor }: Buffer): void {
    this.#asked += 1;
    this.#closedFor = text.slice(0, cursor);
    this.#open = undefined;
  }

  move(step: -1 | 1): void {
    if (this.#open === undefined) return;
    const { candidates, chosen } = this.#open;
    const from = chosen < 0 && step < 0 ? 0 : chosen;
    this.#open.chosen = (from + step + candidates.length) % candidates.length;
  }

  get chosen(): Chosen | undefined {
    return this.#open && this.#candidate(this.#open.chosen);
  }

  /** What the Tab key takes. */
  get chosenOrFirst(): Chosen | undefined {
    return this.#open && this.#candidate(Math.max(0, this.#open.chosen));
  }

  #candidate(index: number): Chosen | undefined {
    if (this.#open === undefined) return undefined;
    const { completed, written, candidates } = this.#open;
    const candidate = candidates[index];
    if (candidate === undefined) return undefined;
    return {
      from: completed.from,
      candidate,
      isCommand: completed.isCommand === true,
      isWritten: candidate.text === written,
    };
  }

  /** At most `most` rows, around the chosen one; the last one counts those that are hidden. */
  rows(columns: number, most: number, theme: Theme): readonly Row[] {
    if (this.#open === undefined || most < 1) return [];
    const { candidates, chosen } = this.#open;
    const fitting = Math.min(candidates.length, MOST_ROWS, most);
    const isCounted = fitting < candidates.length && most > 2;
    const count = isCounted ? Math.min(fitting, most - 1) : fitting;
    const first = Math.max(0, Math.min(chosen - Math.floor(count / 2), candidates.length - count));
    const shown = candidates.slice(first, first + count);
    const labels = shown.map(({ label }) => oneLine(label));
    const width = Math.min(Math.max(...labels.map(cells)), Math.max(10, Math.floor(columns / 2)));
    const rows = shown.map(({ detail }, index) => {
      const label = cutRow(labels[index] ?? '', detail === undefined ? columns - 2 : width);
      const isChosen = first + index === chosen;
      const name = isChosen ? theme.accent(`› ${label}`) : `  ${label}`;
      const room = columns - width - 4;
      if (detail === undefined || detail === '' || room < 8) return name;
      const gap = ' '.repeat(Math.max(0, width - cells(label)) + 2);
      return `${name}${gap}${theme.dim(cutRow(oneLine(detail), room))}`;
    });
    const hidden = candidates.length - count;
    return isCounted ? [...rows, theme.dim(cutRow(`  … ${hidden} more`, columns))] : rows;
  }
}

/** Where nothing is written yet that could be completed, Enter must not choose. */
function firstChosen(written: string): number {
  return /\s$/.test(written) ? -1 : 0;
}
