/** `/help`: which commands there are. */
import type { Command } from '../../protocol/tools/command.ts';

export const helpCommand: Command = {
  name: 'help',
  description: 'Lists the commands of this session',
  origin: 'builtin',
  run(_, { session }) {
    const lines = session.commands().map(({ name, argumentHint, description }) => {
      const usage = argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`;
      return description === '' ? usage : `${usage}: ${description}`;
    });
    return { messages: [], shouldQuery: false, resultText: lines.join('\n') };
  },
};
