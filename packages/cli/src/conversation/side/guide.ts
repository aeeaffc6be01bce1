/** `/help <question>`: the sections of the documentation that fit it, without a model unless it is wanted. */

import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { parseJson } from '@turnwright/base/bounded-json.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { CommandMistake } from '../commands/command-type.ts';
import { type ListItem, listOverlay } from '../commands/list.ts';
import { asideOverlay } from './aside.ts';
import { bestSections, type GuideSection, snippetOf } from './guide-search.ts';

const MOST_LISTED = 12;
/** Sections that the model reads. */
const FOR_THE_MODEL = 5;
type Choice = GuideSection | 'model';

/** Until the person leaves the list. */
export async function searchGuide(question: string, context: ConversationCommandContext): Promise<void> {
  const found = bestSections(question, await readGuide(), MOST_LISTED);
  if (found.length === 0)
    throw new CommandMistake(
      `The documentation says nothing of "${question}". /help alone lists the commands; /btw asks the model.`,
    );
  for (;;) {
    const chosen = await context.open(
      listOverlay<Choice>({
        title: `Help: ${question}`,
        items: [...found.map((section) => sectionItem(section, question)), modelItem(context)],
        empty: '',
        enter: 'opens it',
      }),
    );
    if (chosen === undefined) return;
    if (chosen === 'model') return askModel(question, found, context);
    await context.view({
      title: `${chosen.title}: ${chosen.heading}`,
      parts: [{ heading: chosen.heading, lines: [...chosen.text.split('\n'), '', `docs/${chosen.page}.md`] }],
    });
  }
}

function sectionItem(section: GuideSection, question: string): ListItem<Choice> {
  const { heading, page, title } = section;
  return {
    value: section,
    label: heading === title ? title : `${title} › ${heading}`,
    detail: `docs/${page}.md`,
    about: [snippetOf(section, question)],
  };
}

function modelItem({ state }: ConversationCommandContext): ListItem<Choice> {
  return {
    value: 'model',
    label: `Let ${state.session.model === '' ? 'the model' : state.session.model} answer from these sections`,
    detail: 'costs a request',
    about: ['Beside the conversation: neither the question nor the answer becomes a part of it.'],
  };
}

async function askModel(
  question: string,
  found: readonly GuideSection[],
  { open, query }: ConversationCommandContext,
): Promise<void> {
  const sections = found
    .slice(0, FOR_THE_MODEL)
    .map(({ page, heading, text }) => `docs/${page}.md, ${heading}\n${text}`);
  const whole = [
    'It is about Turnwright, the program that this conversation runs in. Its documentation says:',
    ...sections,
    'Answer from these sections alone, and name the page. Say so if they do not answer it. The question:',
    question,
  ].join('\n\n');
  await open(
    asideOverlay({
      title: question,
      ask: (signal, onText) => query.askAside({ question: whole, signal, onText }),
    }),
  );
}

/** The build puts it beside the programs. */
async function readGuide(): Promise<readonly GuideSection[]> {
  const packed = await readFile(new URL('../guide.br', import.meta.url)).catch(() => {
    throw new CommandMistake('This build has no documentation: read docs/ of its source, or ask with /btw.');
  });
  const text = (await promisify(brotliDecompress)(packed)).toString();
  return (parseJson(text) as [string, string, string, string][]).map(([page, title, heading, body]) => ({
    page,
    title,
    heading,
    text: body,
  }));
}
