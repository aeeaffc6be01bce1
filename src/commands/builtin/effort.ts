/** `/effort [level]`: shows or sets the effort. */

import { EFFORT_LEVELS } from '../../protocol/model/wire.ts';
import type { Command } from '../../protocol/tools/command.ts';

export const effortCommand: Command = {
  name: 'effort',
  description: 'Shows how hard the model thinks, or sets it for this session',
  argumentHint: `[${EFFORT_LEVELS.join('|')}|default]`,
  origin: 'builtin',
  async run(args, { session }) {
    const asked = args.trim().toLowerCase();
    const level = EFFORT_LEVELS.find((each) => each === asked);
    if (level === undefined && asked !== '' && asked !== 'default')
      throw new Error(
        `There is no effort "${args.trim()}". It is one of ${EFFORT_LEVELS.join(', ')}, or default.`,
      );
    if (asked !== '') session.setEffort(level);
    return { messages: [], shouldQuery: false, resultText: sentence(asked !== '', session) };
  },
};

function sentence(
  isNew: boolean,
  { effort, model }: { readonly effort: string | undefined; readonly model: string },
): string {
  if (effort === undefined) return `${model} takes no effort.`;
  return isNew ? `The effort is now ${effort}.` : `The effort is ${effort}.`;
}
