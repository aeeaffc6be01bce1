/** `/queue`: edits, moves and drops prompts that wait. */
import { counted } from '../../words/units.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import type { ConversationState } from '../conversation-state.ts';
import { CommandMistake, type ConversationCommand } from './command-type.ts';
import { type ListItem, listOverlay } from './list.ts';
import { questionOverlay } from './question.ts';

type Action = 'edit' | 'drop' | 'first' | 'up' | 'down';

export const queueCommand: ConversationCommand = {
  name: 'queue',
  summary: 'Edits, moves and drops prompts that wait',
  argument: '[number]',
  async complete(prefix, { state }) {
    return state.queue.map((_, index) => String(index + 1)).filter((number) => number.startsWith(prefix));
  },
  async run(argument, context) {
    if (argument !== '') return openPrompt(numberIn(argument, context), context);
    for (;;) {
      const { queue } = context.state;
      const number = await context.open(
        listOverlay({
          title: `Queue · ${counted(queue.length, 'prompt')}`,
          items: queueItems(queue),
          empty: 'No prompt waits.',
          enter: 'opens it',
        }),
      );
      if (number === undefined) return;
      await openPrompt(number, context);
      if (context.state.queue.length === 0) return;
    }
  },
};

function queueItems(queue: ConversationState['queue']): readonly ListItem<number>[] {
  return queue.map(({ text, place, images }, index) => ({
    value: index + 1,
    label: `${index + 1}  ${text}`,
    detail: [
      place === 'here' ? 'waits for Enter' : '',
      images.length > 0 ? counted(images.length, 'image') : '',
    ]
      .filter((part) => part !== '')
      .join(' · '),
  }));
}

function numberIn(argument: string, { state }: ConversationCommandContext): number {
  const number = Number(argument);
  if (Number.isInteger(number) && number >= 1 && number <= state.queue.length) return number;
  throw new CommandMistake(
    state.queue.length === 0
      ? 'No prompt waits.'
      : `There is no prompt ${argument} in the queue: it has ${counted(state.queue.length, 'prompt')}.`,
  );
}

async function openPrompt(number: number, context: ConversationCommandContext): Promise<void> {
  const { queue, state } = context;
  const prompt = state.queue[number - 1];
  if (prompt === undefined) return;
  const action = await context.open(
    listOverlay({
      title: `Prompt ${number}: ${prompt.text}`,
      items: actionItems(number, state.queue.length),
      empty: '',
      enter: 'does it',
    }),
  );
  switch (action) {
    case undefined:
      return;
    case 'edit': {
      const text = await context.open(questionOverlay({ title: `Prompt ${number}`, initial: prompt.text }));
      if (text !== undefined && !(await queue.replace(number, text))) begun(prompt.text, context);
      return;
    }
    case 'drop':
      if ((await queue.remove(number)) === undefined) begun(prompt.text, context);
      return;
    case 'first':
      await queue.move(number, 1);
      return;
    case 'up':
      await queue.move(number, number - 1);
      return;
    case 'down':
      await queue.move(number, number + 1);
      return;
  }
}

function actionItems(number: number, count: number): readonly ListItem<Action>[] {
  return [
    { value: 'edit', label: 'Edit it' },
    { value: 'drop', label: 'Drop it' },
    ...(number > 2 ? [{ value: 'first', label: 'Send it first' } as const] : []),
    ...(number > 1 ? [{ value: 'up', label: 'Move it up' } as const] : []),
    ...(number < count ? [{ value: 'down', label: 'Move it down' } as const] : []),
  ];
}

function begun(text: string, { print, theme }: ConversationCommandContext): void {
  print([theme.warn(`It has begun meanwhile: ${text.split('\n')[0] ?? ''}`)]);
}
