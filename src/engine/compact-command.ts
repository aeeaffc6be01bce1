/** `/compact [instructions]`: the one command that every session has. A host's own command of that name wins. */
import type { Command } from './commands.ts';
import type { QueryEngineConfig } from './config.ts';

const compactCommand: Command = {
  name: 'compact',
  description: 'Replaces the conversation so far by a summary of it',
  argumentHint: '[what the summary should keep]',
  run(args) {
    const instructions = args.trim();
    return { messages: [], shouldQuery: false, compact: instructions === '' ? {} : { instructions } };
  },
};

export function commandsOf({ commands = [] }: Pick<QueryEngineConfig, 'commands'>): readonly Command[] {
  const taken = commands.some(({ name, aliases }) => name === 'compact' || aliases?.includes('compact'));
  return taken ? commands : [...commands, compactCommand];
}
