/** AskUserQuestion: one page for each question, with numbered choices and a line for other words. */
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { clean } from '@turnwright/terminal/text/clean.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { textRows } from '../../words/call-rows.ts';
import { type Question, questionsIn } from '../../words/questions.ts';
import { createLineField } from '../commands/list-parts/line-field.ts';
import type { ViewDocument } from '../overlay.ts';
import { viewHint } from './dialog-keys.ts';
import { answer, type DialogPage, goTo, type KeyOutcome, STAY } from './dialog-page.ts';
import { type Drawing, keyRows } from './explanation-rows.ts';
import type { WordedDecision } from './worded-decision.ts';
import { denyAndInterrupt } from './worded-decision.ts';

export function questionPages(
  input: Readonly<Record<string, unknown>>,
  drawing: Drawing,
): DialogPage<WordedDecision> | undefined {
  const questions = questionsIn(input);
  return questions.length === 0 ? undefined : questionPage({ input, questions, drawing }, 0, {});
}

interface Asking {
  readonly input: Readonly<Record<string, unknown>>;
  readonly questions: readonly Question[];
  readonly drawing: Drawing;
}

type Answers = Readonly<Record<string, string>>;

function questionPage(asking: Asking, index: number, answers: Answers): DialogPage<WordedDecision> {
  const { questions, drawing } = asking;
  const { theme } = drawing;
  const question = questions[index] as Question;
  const { options, multiSelect } = question;
  const many = multiSelect === true;
  const ticked = new Set<number>();
  let at = 0;
  let lacksTick = false;
  const next = (words: string): KeyOutcome<WordedDecision> => {
    const given = words === '' ? answers : { ...answers, [question.question]: words };
    return index + 1 < questions.length ? goTo(questionPage(asking, index + 1, given)) : done(asking, given);
  };
  const labels = (chosen: Iterable<number>) =>
    [...chosen]
      .sort((one, other) => one - other)
      .map((each) => options[each]?.label ?? '')
      .join(', ');
  const toggle = () => {
    if (ticked.has(at)) ticked.delete(at);
    else ticked.add(at);
    return STAY;
  };
  const takeMarked = () => {
    if (!many) return next(labels([at]));
    lacksTick = ticked.size === 0;
    return lacksTick ? STAY : next(labels(ticked));
  };
  const optionRows = (columns: number): readonly (readonly Row[])[] =>
    options.map(({ label, description, preview }, each) => {
      const lead = each === at ? theme.accent('›') : ' ';
      // Where a digit answers nothing, there is none.
      const name = many ? (ticked.has(each) ? '[x]' : '[ ]') : `${each + 1}`;
      const text = `${lead} ${name} ${theme.bold(oneLine(label))}${description ? `: ${oneLine(description)}` : ''}`;
      return [
        ...wrap(text, columns, { hang: '    ' }),
        ...(preview !== undefined && each === at ? textRows(preview, columns, '      ') : []),
      ];
    });
  const page: DialogPage<WordedDecision> = {
    title: question.question,
    body: (columns) => optionRows(columns).flat(),
    focus: (columns) =>
      optionRows(columns)
        .slice(0, at + 1)
        .flat().length - 1,
    foot(columns) {
      const place = questions.length > 1 ? [`question ${index + 1} of ${questions.length}`] : [];
      const pick = many ? ['↑↓ Space tick', 'Enter takes them'] : ['a digit answers, or ↑↓ Enter'];
      const last = [
        'letters: other words',
        'Tab skip',
        'Esc no answer, and interrupt',
        ...viewHint(drawing.keys),
      ];
      const keys = [...place, ...pick, ...last];
      const note =
        lacksTick && ticked.size === 0
          ? wrap(theme.warn('  Nothing is chosen: no row is ticked.'), columns)
          : [];
      return [...note, ...keyRows(keys, columns, theme)];
    },
    document: () => buildDocument(questions),
    choices: {
      // Ticks are set by Space alone: digits that follow each other would look like typing.
      ...(!many &&
        Object.fromEntries(options.map((_, each) => [String(each + 1), () => next(labels([each]))]))),
      enter: takeMarked,
      '0': () => goTo(otherWords(page, '', next)),
      tab: () => next(''),
    },
    write: (text) => goTo(otherWords(page, text, next)),
    moves: {
      up: () => {
        at = Math.max(0, at - 1);
        return STAY;
      },
      down: () => {
        at = Math.min(options.length - 1, at + 1);
        return STAY;
      },
      ...(many && { space: toggle }),
    },
    keepsPlace: true,
    escape: () => denyAndInterrupt(),
  };
  return page;
}

function otherWords(
  from: DialogPage<WordedDecision>,
  text: string,
  submit: (words: string) => KeyOutcome<WordedDecision>,
): DialogPage<WordedDecision> {
  let now = createLineField(text);
  const { write: _, ...page } = from;
  return {
    ...page,
    choices: {},
    moves: {},
    foot: () => [],
    field: {
      label: '  in other words:',
      get now() {
        return now;
      },
      change(to) {
        now = to;
      },
      submit: () => (now.text.trim() === '' ? STAY : submit(now.text.trim())),
    },
    escape: () => goTo(from),
  };
}

function done({ input }: Asking, answers: Answers): KeyOutcome<WordedDecision> {
  const given = Object.values(answers).map(oneLine).join(' · ');
  return answer({
    result: { behavior: 'allow', updatedInput: { ...input, answers } },
    words: given === '' ? 'no answer' : `answered: ${given}`,
    interrupts: false,
  });
}

function buildDocument(questions: readonly Question[]): ViewDocument {
  return {
    title: 'Questions',
    parts: questions.map(({ question, options }) => ({
      heading: clean(question),
      lines: options.flatMap(({ label, description, preview }, each) => [
        `${each + 1} ${label}${description ? `: ${description}` : ''}`,
        ...(preview === undefined ? [] : preview.split('\n').map((line) => `    ${line}`)),
      ]),
    })),
  };
}
