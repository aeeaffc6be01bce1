/** Commands that the session itself answers, and leaving. */
import type { ConversationCommand } from './command.ts';

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

export const exitCommand: ConversationCommand = {
  name: 'exit',
  aliases: ['quit'],
  summary: 'Leaves; the session can be resumed',
  async run(_, context) {
    context.exit();
  },
};
