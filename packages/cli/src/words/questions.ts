/** What AskUserQuestion asks, with numbered choices, and what an answer means; free text is an answer too. */

export interface Question {
  readonly question: string;
  readonly options: readonly {
    readonly label: string;
    readonly description?: string;
    readonly preview?: string;
  }[];
  readonly multiSelect?: boolean;
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
export function isOutOfRange(typed: string, { options }: Pick<Question, 'options'>): boolean {
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
