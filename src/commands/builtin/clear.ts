/** `/clear`: ends this conversation and begins another one. */
import type { Command } from '../../protocol/tools/command.ts';

export const clearCommand: Command = {
  name: 'clear',
  aliases: ['reset', 'new'],
  description: 'Begins a new conversation; this one is kept and can be resumed',
  origin: 'builtin',
  run: () => ({ messages: [], shouldQuery: false, clear: true }),
};
