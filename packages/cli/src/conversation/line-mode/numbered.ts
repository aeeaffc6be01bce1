/** Choices as a numbered list that is answered by a number and Enter. */
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import type { LineInput } from './line-input.ts';

export interface LineDialog {
  line(text: string): void;
  /** Writes a question without ending its line. */
  prompt(text: string): void;
  readonly input: Pick<LineInput, 'next'>;
  /** Monotonic ms. */
  nowMs(): number;
}

/**
 * A line that arrives sooner after its question was typed before it could be read or heard, and is no answer
 * to it.
 */
const TOO_SOON_MS = 400;
const SOON = 'That came before the question could be read. Please answer again.';

/** Reads one answer; undefined: the input has ended, or `signal` fired. */
export async function readTypedAnswer(
  { line, prompt, input, nowMs }: LineDialog,
  question: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  while (true) {
    prompt(question);
    const askedMs = nowMs();
    const answer = await input.next(signal);
    if (answer === undefined || nowMs() - askedMs >= TOO_SOON_MS) return answer?.trim();
    line(SOON);
  }
}

/** The choice, and the words after its number. */
interface Chosen<T> {
  readonly value: T;
  readonly words: string;
}

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  /** It takes words: `4 use the copy in lib`. Without them they are asked for. */
  readonly asksWords?: string;
  /** They answer like the number. Two choices may share one: words behind it choose between them. */
  readonly names?: readonly string[];
}

/** Writes the choices and reads a number; undefined: left by an empty line, the end of input or `signal`. */
export async function choose<T>(
  dialog: LineDialog,
  choices: readonly Choice<T>[],
  { signal, mayLeave = false }: { readonly signal?: AbortSignal; readonly mayLeave?: boolean } = {},
): Promise<Chosen<T> | undefined> {
  for (const [at, { label }] of choices.entries()) dialog.line(`${at + 1}. ${oneLine(label)}`);
  const how = `Number from 1 to ${choices.length}${mayLeave ? ', or Enter to leave' : ''}: `;
  while (true) {
    const answer = await readTypedAnswer(dialog, how, signal);
    if (answer === undefined || (answer === '' && mayLeave)) return undefined;
    const [, which = '', words = ''] = /^(\d+|[a-z]+)[.:,)]?\s*(.*)$/is.exec(answer) ?? [];
    const choice = choices[Number(which) - 1] ?? byName(choices, which.toLowerCase(), words);
    if (choice !== undefined && (words === '' || choice.asksWords !== undefined)) {
      if (choice.asksWords === undefined || words !== '') return { value: choice.value, words };
      const said = await readTypedAnswer(dialog, `${choice.asksWords}: `, signal);
      return said === undefined ? undefined : { value: choice.value, words: said };
    }
    dialog.line(`${answer === '' ? 'An empty line' : oneLine(answer)} is none of the choices.`);
  }
}

function byName<T>(choices: readonly Choice<T>[], typed: string, words: string): Choice<T> | undefined {
  return choices.find(
    ({ names, asksWords }) => names?.includes(typed) === true && (words !== '') === (asksWords !== undefined),
  );
}
