/** Asks for one line of text: a rule, a file name, the text of a queued prompt. */
import type { InputEvent } from '@turnwright/terminal/input/events.ts';
import type { ScreenFrame, Size } from '@turnwright/terminal/renderer/frame.ts';
import { cells, cutRow } from '@turnwright/terminal/text/cells.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import type { Overlay, OverlayHost, OverlayOf } from '../overlay.ts';
import { isLeave } from './list.ts';
import { createLineField, edited, type LineField } from './list-parts/line-field.ts';

export interface TextQuestion {
  readonly title: string;
  /** Lines below the title. */
  readonly about?: readonly string[] | undefined;
  /** Text to begin with. */
  readonly initial?: string | undefined;
  /** Nothing is an answer too. Default false. */
  readonly mayBeEmpty?: boolean;
  /** Characters are not shown. Default false. */
  readonly isSecret?: boolean;
  /** Why this answer cannot be taken, as a sentence; undefined: it can. */
  readonly problem?: ((answer: string) => string | undefined) | undefined;
}

/** An overlay that asks this; its value is the answer, without blanks around it. */
export type QuestionOverlay = OverlayOf<string> & { readonly question: TextQuestion };

export function questionOverlay(question: TextQuestion): QuestionOverlay {
  return Object.assign((host: OverlayHost) => new OpenQuestion(question, host), { question });
}

class OpenQuestion implements Overlay<string> {
  readonly closed: Promise<string | undefined>;
  readonly #question: TextQuestion;
  readonly #host: OverlayHost;
  #field: LineField;
  #problem: string | undefined;
  #close!: (answer: string | undefined) => void;

  constructor(question: TextQuestion, host: OverlayHost) {
    this.#question = question;
    this.#host = host;
    this.#field = createLineField(question.initial ?? '');
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  frame(size: Size): ScreenFrame {
    const field = this.#question.isSecret === true ? masked(this.#field) : this.#field;
    return questionFrame(this.#question, field, this.#problem, size, this.#host.theme);
  }

  onEvent(event: InputEvent): boolean {
    if (event.kind === 'reply') return false;
    if (event.kind === 'key' && isLeave(event)) this.#close(undefined);
    else if (event.kind === 'key' && event.name === 'enter') this.#answer(this.#field.text.trim());
    else {
      this.#field = edited(this.#field, event) ?? this.#field;
      this.#problem = undefined;
    }
    this.#host.invalidate();
    return true;
  }

  #answer(answer: string): void {
    const isMissing = answer === '' && this.#question.mayBeEmpty !== true;
    this.#problem = isMissing ? 'Write something, or leave with Esc.' : this.#question.problem?.(answer);
    if (this.#problem === undefined) this.#close(answer);
  }
}

/** Its length and the place of the cursor are all that can be seen. */
const masked = ({ text, cursor }: LineField): LineField => ({ text: '•'.repeat(text.length), cursor });

const MOST_ROWS = 12;

export function questionFrame(
  { title, about = [] }: TextQuestion,
  { text, cursor }: LineField,
  problem: string | undefined,
  size: Size,
  theme: Theme,
): ScreenFrame {
  const columns = Math.max(1, size.columns - 1);
  const lines = about
    .flatMap((line) => wrap(visible(line), columns))
    .slice(0, Math.max(0, Math.min(size.rows - 2, MOST_ROWS) - 4));
  // The end of a long text is what is being written: its beginning leaves the row.
  const before = text.slice(0, cursor);
  const start = cells(before) <= columns - 3 ? 0 : before.length - fitEnd(before, columns - 4).length;
  const shown = `${start > 0 ? '…' : ''}${text.slice(start)}`;
  const row = 1 + lines.length;
  return {
    rows: [
      theme.bold(cutRow(oneLine(title), columns)),
      ...lines.map((line) => theme.dim(line)),
      `${theme.accent('›')} ${cutRow(shown, columns - 2)}`,
      ...(problem === undefined ? [] : wrap(problem, columns).map((line) => theme.bad(line))),
      theme.dim(cutRow('Enter takes it · Esc leaves', columns)),
    ],
    cursor: { row, column: 2 + cells(`${start > 0 ? '…' : ''}${text.slice(start, cursor)}`) },
  };
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The last characters of a text that fit. */
function fitEnd(text: string, columns: number): string {
  let end = '';
  for (const { segment } of [...graphemes.segment(text)].reverse()) {
    if (cells(segment + end) > columns) break;
    end = segment + end;
  }
  return end;
}
