/** One view of a question: what it shows, and what its keys do. */
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import type { LineField } from '../commands/list-parts/line-field.ts';
import type { ViewDocument } from '../overlay.ts';

export interface DialogPage<T> {
  /** First row: who asks for what. */
  readonly title: string;
  /** While the question is folded, with the call in a few words. Default `title`. */
  readonly summary?: string;
  /** Between title and foot; scrolls when there is not enough room. */
  body(columns: number): readonly Row[];
  /** Rows that are always visible, at most five: the reason and the choices. */
  foot(columns: number): readonly Row[];
  /** Row of the body that has to be visible; undefined: the person scrolls. */
  focus?(columns: number): number | undefined;
  /** Everything, for the viewer. */
  document(): ViewDocument;
  /** Keys that decide something: they count only after a pause. */
  readonly choices: Readonly<Record<string, () => KeyOutcome<T>>>;
  /** Keys that only mark or move, and count at once. */
  readonly moves?: Readonly<Record<string, () => KeyOutcome<T>>>;
  /** A key with text that is neither opens this, after the same pause as a choice; `text`: of the key. */
  write?(text: string): KeyOutcome<T>;
  /** Forgets what was marked: the question was folded. */
  unmark?(): void;
  /** A line of text, which takes all other keys while the page is open. */
  readonly field?: PageField<T>;
  /** When the question is folded and shown again, it goes on here. Default: it begins with its first page. */
  readonly keepsPlace?: true;
  escape(): KeyOutcome<T>;
}

interface PageField<T> {
  /** In front of the text. */
  readonly label: string;
  readonly now: LineField;
  change(to: LineField): void;
  /** Enter. */
  submit(): KeyOutcome<T>;
}

/** What a key leads to. */
export type KeyOutcome<T> =
  | { readonly kind: 'stay' }
  | { readonly kind: 'page'; readonly page: DialogPage<T> }
  | { readonly kind: 'answer'; readonly answer: T };

/** Columns for the lines of a document, which the viewer wraps in the width of its window. */
export const UNWRAPPED = 10_000;

export const STAY = { kind: 'stay' } as const;
export const goTo = <T>(page: DialogPage<T>): KeyOutcome<T> => ({ kind: 'page', page });
export const answer = <T>(value: T): KeyOutcome<T> => ({ kind: 'answer', answer: value });
