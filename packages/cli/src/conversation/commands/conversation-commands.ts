/** Commands that the session itself answers, and leaving. */
import { getSessionInfo } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { isWorking } from '../conversation-state.ts';
import { CommandMistake, type ConversationCommand } from './command-type.ts';
import { questionOverlay } from './question.ts';

/** The session itself carries it out, as it is typed. */
const sent = (command: Omit<ConversationCommand, 'run'>): ConversationCommand => ({
  ...command,
  async run(argument, context) {
    context.send(`/${command.name} ${argument}`.trimEnd());
  },
});

export const clearCommand: ConversationCommand = {
  name: 'clear',
  aliases: ['reset', 'new'],
  summary: 'Begins a new conversation; this one is kept',
  ends: true,
  async run(_, context) {
    context.send('/clear');
  },
};

export const compactCommand = sent({
  name: 'compact',
  summary: 'Replaces the conversation so far by a summary of it',
  argument: '[what to keep]',
});

export const initCommand = sent({
  name: 'init',
  summary: 'Looks at this project and writes CLAUDE.md, which later sessions read',
  argument: '[what matters]',
});

export const reviewCommand = sent({
  name: 'review',
  aliases: ['code-review'],
  summary: 'Reviews the uncommitted changes, or a pull request, a branch or a range',
  argument: '[what]',
});

export const goalCommand = sent({
  name: 'goal',
  summary: 'Keeps the model at work until a command succeeds, or a condition holds',
  argument: '[!command|condition|off]',
});

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
  ends: true,
  async run(_, context) {
    context.exit();
  },
};

export const forkCommand: ConversationCommand = {
  name: 'fork',
  aliases: ['branch'],
  summary: 'Goes on in a copy of this session',
  argument: '[title of the copy]',
  async run(title, context) {
    const { env, print, reopen, state } = context;
    if (isWorking(state))
      throw new CommandMistake('The session works. Fork it when it has answered, or interrupt it first.');
    const { id } = state.session;
    if ((await getSessionInfo(id, { env })) === undefined)
      throw new CommandMistake('There is nothing to copy yet.');
    await reopen({ resume: id, forkSession: true, isQuiet: true });
    if (title !== '') await context.query.renameSession(title);
    print([`This is a copy now. The session itself is kept: /resume ${id}`]);
  },
};

export const planCommand: ConversationCommand = {
  name: 'plan',
  summary: 'Plans before anything is changed; with a task, begins with it',
  argument: '[task]',
  async run(task, { print, query, send }) {
    await query.setPermissionMode('plan');
    if (task === '') print(['Plan mode: nothing is changed until you accept a plan. Shift+Tab leaves it.']);
    else send(task);
  },
};
