/** `/config`, `/sandbox`, `/output-style` and `/statusline`: settings of the person, shown and written. */
import type { ConversationCommand } from '../commands/command-type.ts';

export const configCommand: ConversationCommand = {
  name: 'config',
  aliases: ['settings'],
  summary: 'Shows every setting with its value and file; changes one',
  argument: '[words|key=value]',
  async complete(prefix) {
    const { settingsKeys } = await import('@turnwright/engine');
    return (await settingsKeys()).map(({ key }) => key).filter((key) => key.startsWith(prefix));
  },
  async run(argument, context) {
    await (await import('./config-pages.ts')).runConfig(argument, context);
  },
};

export const sandboxCommand: ConversationCommand = {
  name: 'sandbox',
  summary: 'Shows whether commands run isolated and what they may; switches it',
  argument: '[on|off]',
  complete: async (prefix) => ['on', 'off'].filter((word) => word.startsWith(prefix)),
  async run(argument, context) {
    await (await import('./sandbox-page.ts')).runSandbox(argument, context);
  },
};

export const outputStyleCommand: ConversationCommand = {
  name: 'output-style',
  summary: 'Shows the output styles, and chooses one for you in this project',
  argument: '[name]',
  async complete(prefix, { query }) {
    const { available_output_styles: styles } = await query.initializationResult();
    return styles.filter((style) => style.startsWith(prefix));
  },
  async run(argument, context) {
    await (await import('./output-style.ts')).runOutputStyle(argument, context);
  },
};

export const statuslineCommand: ConversationCommand = {
  name: 'statusline',
  summary: 'Chooses what the status line shows: parts, or a command of yours',
  argument: '[parts|command|default|what you want]',
  complete: async (prefix) => ['parts', 'command', 'default'].filter((word) => word.startsWith(prefix)),
  async run(argument, context) {
    await (await import('./statusline-page.ts')).runStatusline(argument, context);
  },
};
