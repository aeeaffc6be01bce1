/** `/help`: all commands of the session, to be searched and called; with a question, the documentation. */
import type { Query } from '@turnwright/engine';
import type { ConversationCommand } from './command-type.ts';
import { type ListItem, listOverlay } from './list.ts';

type EngineCommands = Awaited<ReturnType<Query['supportedCommands']>>;

/** `commands`: the table that the command itself is a row of. */
export function helpCommand(commands: () => readonly ConversationCommand[]): ConversationCommand {
  return {
    name: 'help',
    aliases: ['commands'],
    summary: 'Shows the commands, and calls one; with a question, what the documentation says',
    argument: '[question]',
    async run(question, context) {
      if (question !== '') return (await import('../side/guide.ts')).searchGuide(question, context);
      const chosen = await context.open(
        listOverlay({
          title: 'Commands (? shows the keys)',
          items: commandItems(commands(), await context.query.supportedCommands()),
          empty: '',
          enter: 'calls it',
        }),
      );
      if (chosen === undefined) return;
      const engine = await context.query.supportedCommands();
      const own = ownBeside(commands(), engine).find(({ name }) => name === chosen);
      if (own === undefined || own.argument !== undefined) context.edit(`/${chosen} `);
      else await own.run('', context);
    },
  };
}

function commandItems(
  all: readonly ConversationCommand[],
  engine: EngineCommands,
): readonly ListItem<string>[] {
  const own = ownBeside(all, engine);
  return [
    ...own.map(({ name, argument = '', summary, aliases = [] }) => ({
      value: name,
      label: `/${name} ${argument}`.trimEnd(),
      detail: summary,
      about: aliases.length === 0 ? [] : [`also: ${aliases.map((alias) => `/${alias}`).join(', ')}`],
    })),
    ...listOtherCommands(own, engine).map(({ name, argumentHint, description }) => ({
      value: name,
      label: `/${name} ${argumentHint}`.trimEnd(),
      detail: description,
    })),
  ];
}

/** Whether a command of the engine takes the place of one of the conversation: those of trusted files do. */
export const isOverriding = ({ builtin, untrusted }: EngineCommands[number]): boolean =>
  builtin !== true && untrusted !== true;

/** The conversation's own commands in whose place no file stands. */
export function ownBeside(
  own: readonly ConversationCommand[],
  engine: EngineCommands,
): readonly ConversationCommand[] {
  const files = new Set(engine.filter(isOverriding).map(({ name }) => name));
  return own.filter(({ name }) => name === 'exit' || !files.has(name));
}

/** Commands of files, skills, plugins and servers, which the engine runs. */
export function listOtherCommands(
  own: readonly ConversationCommand[],
  engine: EngineCommands,
): EngineCommands {
  const taken = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return engine.filter(({ name }) => !taken.has(name));
}
