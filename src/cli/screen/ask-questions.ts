/** AskUserQuestion on a terminal: each question with numbered choices; free text is an answer too. */
import type { PermissionResult } from '../../index.ts';
import type { Style } from '../../terminal/text/style.ts';
import { visible } from '../../terminal/text/visible.ts';
import { wrap } from '../../terminal/text/wrap.ts';

interface Asking {
  /** Reads one line; rejects when the question is withdrawn. */
  question(prompt: string): Promise<string>;
  line(text: string): void | Promise<void>;
  readonly columns: number;
  readonly style: Style;
}

export interface Question {
  readonly question: string;
  readonly options: readonly {
    readonly label: string;
    readonly description?: string;
    readonly preview?: string;
  }[];
  readonly multiSelect?: boolean;
}

/** An empty line is no answer, which the model receives as such. */
export async function askQuestions(
  input: Readonly<Record<string, unknown>>,
  { question, line, columns, style }: Asking,
): Promise<PermissionResult> {
  const answers: Record<string, string> = {};
  for (const each of questionsIn(input)) {
    await line(style.bold(wrap(`? ${visible(each.question)}`, columns, { hang: '  ' }).join('\n')));
    for (const [at, { label, description, preview }] of each.options.entries()) {
      const choice = `  ${at + 1}  ${visible(label)}${description ? `: ${visible(description)}` : ''}`;
      await line(wrap(choice, columns, { hang: '     ' }).join('\n'));
      if (preview !== undefined) await line(visible(preview).replace(/^/gm, '     '));
    }
    const how = each.multiSelect === true ? 'numbers, with commas' : 'a number';
    const ask = () => question(`  ${how}, or other words: `);
    let typed = await ask();
    while (isOutOfRange(typed, each)) {
      const range = `the choices go from 1 to ${each.options.length}`;
      await line(style.dim(`  ${visible(typed.trim())} is no choice: ${range}.`));
      typed = await ask();
    }
    const answer = answerOf(typed, each);
    if (answer !== '') answers[each.question] = answer;
  }
  return { behavior: 'allow', updatedInput: { ...input, answers } };
}

/** Numbers are replaced by labels; anything else is free text. */
export function answerOf(
  typed: string,
  { options, multiSelect }: Pick<Question, 'options' | 'multiSelect'>,
): string {
  const words = typed.trim();
  const numbers = words.split(/[\s,]+/).map(Number);
  const labels = numbers.map((number) => options[number - 1]?.label);
  const fits = words !== '' && labels.every((label) => label !== undefined);
  return fits && (multiSelect === true || labels.length === 1) ? [...new Set(labels)].join(', ') : words;
}

/** Only numbers, one of which is not a choice: a mistake rather than free text. */
function isOutOfRange(typed: string, { options }: Pick<Question, 'options'>): boolean {
  const words = typed.trim();
  if (options.length === 0 || !/^\d+(?:[\s,]+\d+)*$/.test(words)) return false;
  return words.split(/[\s,]+/).some((number) => options[Number(number) - 1] === undefined);
}

/** Validated by the tool; anything else is ignored. */
export function questionsIn({ questions }: Readonly<Record<string, unknown>>): readonly Question[] {
  return Array.isArray(questions)
    ? questions.filter(
        (each): each is Question => typeof each?.question === 'string' && Array.isArray(each?.options),
      )
    : [];
}
