/** `/model [name]`: shows or sets the model. */
import type { Command } from '../../protocol/tools/command.ts';

export const modelCommand: Command = {
  name: 'model',
  description: 'Shows the model, or switches to another one for this session',
  argumentHint: '[name]',
  origin: 'builtin',
  async run(args, { session }) {
    const name = args.trim();
    if (name !== '') await session.setModel(name === 'default' ? undefined : name);
    const resultText = name === '' ? `The model is ${session.model}.` : `The model is now ${session.model}.`;
    return { messages: [], shouldQuery: false, resultText };
  },
};
