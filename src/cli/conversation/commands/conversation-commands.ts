/** Commands that the session itself answers, and leaving. */
import { oneLine } from '../../../terminal/text/visible.ts';
import type { ConversationCommand } from './command.ts';
import { questionOverlay } from './question.ts';

export const clearCommand: ConversationCommand = {
  name: 'clear',
  aliases: ['reset', 'new'],
  summary: 'Begins a new conversation; this one is kept',
  async run(_, context) {
    context.send('/clear');
  },
};

export const compactCommand: ConversationCommand = {
  name: 'compact',
  summary: 'Replaces the conversation so far by a summary of it',
  argument: '[what to keep]',
  async run(argument, context) {
    context.send(`/compact ${argument}`.trimEnd());
  },
};

export const renameCommand: ConversationCommand = {
  name: 'rename',
  summary: 'Gives the session a title',
  argument: '[title]',
  async run(argument, { open, print, query, state }) {
    const { title } = state.session;
    const given =
      argument === ''
        ? await open(questionOverlay({ title: 'The title of this session', initial: title }))
        : argument;
    if (given === undefined) return;
    await query.renameSession(given);
    print([oneLine(`This session is now "${given}".`)]);
  },
};

export const exitCommand: ConversationCommand = {
  name: 'exit',
  aliases: ['quit'],
  summary: 'Leaves; the session can be resumed',
  async run(_, context) {
    context.exit();
  },
};
