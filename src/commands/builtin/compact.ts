/** `/compact [instructions]`. */
import type { Command } from '../../protocol/tools/command.ts';

export const compactCommand: Command = {
  name: 'compact',
  description: 'Replaces the conversation so far by a summary of it',
  argumentHint: '[what the summary should keep]',
  origin: 'builtin',
  run(args) {
    const instructions = args.trim();
    return { messages: [], shouldQuery: false, compact: instructions === '' ? {} : { instructions } };
  },
};
