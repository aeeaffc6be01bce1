/** The lists and questions of commands, as numbered lists and lines. */
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import type { ListItem, ListOf, ListOverlay } from '../commands/list.ts';
import type { QuestionOverlay, TextQuestion } from '../commands/question.ts';
import type { OverlayOf, ViewDocument } from '../overlay.ts';
import type { AsideOverlay } from '../side/aside.ts';
import { type LineDialog, readTypedAnswer } from './numbered.ts';

/** What a person chose or wrote; undefined: nothing. */
export async function openInLines<T>(overlay: OverlayOf<T>, dialog: LineDialog): Promise<T | undefined> {
  const { list, question, aside } = overlay as Partial<ListOverlay<T> & QuestionOverlay & AsideOverlay>;
  if (list !== undefined) return chooseFrom(list, dialog);
  if (question !== undefined) return (await askQuestion(question, dialog)) as T | undefined;
  if (aside !== undefined) {
    const answer = await aside.ask(new AbortController().signal, () => {});
    for (const line of answer.split('\n')) dialog.line(visible(line));
    return undefined;
  }
  dialog.line('This needs the full screen. Start without --screen-reader, in a larger window.');
  return undefined;
}

/** Items that are read out at once. */
const PAGE = 20;

async function chooseFrom<T>(list: ListOf<T>, dialog: LineDialog): Promise<T | undefined> {
  const { line } = dialog;
  line(visible(list.title));
  let all = list.items;
  if (list.later !== undefined) {
    line(visible(list.later.what));
    all = await list.later.items.catch((error: unknown) => {
      line(visible(error instanceof Error ? error.message : String(error)));
      return list.items;
    });
  }
  if (all.length === 0) {
    line(visible(list.empty));
    return undefined;
  }
  const numbered = all.map((item, at) => ({ item, number: at + 1 }));
  let found = numbered;
  let from = 0;
  while (true) {
    for (const { item, number } of found.slice(from, from + PAGE)) line(`${number}. ${itemLine(item)}`);
    const left = found.length - from - PAGE;
    const more = left > 0 ? `, "more" for ${left} more` : '';
    const answer = await readTypedAnswer(dialog, `Number, words to search for${more}, or Enter to leave: `);
    if (answer === undefined || answer === '') return undefined;
    if (left > 0 && answer.toLowerCase() === 'more') {
      from += PAGE;
      continue;
    }
    const chosen = /^\d+$/.test(answer) ? all[Number(answer) - 1] : undefined;
    if (chosen !== undefined) return chosen.value;
    const words = answer.toLowerCase().split(/\s+/);
    const matching = numbered.filter(({ item }) => {
      const text = itemLine(item).toLowerCase();
      return words.every((word) => text.includes(word));
    });
    if (list.find !== undefined)
      for await (const { value, line: said } of list.find(answer, new AbortController().signal)) {
        const at = numbered.findIndex(({ item }) => item.value === value);
        const found = numbered[at];
        if (found !== undefined && !matching.includes(found))
          matching.push({ ...found, item: { ...found.item, detail: said } });
      }
    if (matching.length === 0) line(`Nothing matches ${oneLine(answer)}.`);
    else {
      found = matching;
      from = 0;
    }
  }
}

function itemLine<T>({ label, detail, isCurrent }: ListItem<T>): string {
  return [label, ...(detail === undefined || detail === '' ? [] : [detail]), ...(isCurrent ? ['in use'] : [])]
    .map((part) => oneLine(part))
    .join(', ');
}

async function askQuestion(
  { title, about = [], initial, problem }: TextQuestion,
  dialog: LineDialog,
): Promise<string | undefined> {
  for (const text of [title, ...about]) dialog.line(visible(text));
  if (initial !== undefined && initial !== '') dialog.line(`It is now: ${visible(initial)}`);
  while (true) {
    const answer = await readTypedAnswer(dialog, 'Your answer, or Enter to leave: ');
    if (answer === undefined || answer === '') return undefined;
    const refused = problem?.(answer);
    if (refused === undefined) return answer;
    dialog.line(visible(refused));
  }
}

/** All of a document that the screen would show in its viewer. */
export function documentLines({ title, parts }: ViewDocument): readonly string[] {
  return [title, ...parts.flatMap(({ heading, lines }) => [heading, ...lines])].map((text) => visible(text));
}
