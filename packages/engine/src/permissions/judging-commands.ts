import { lazily } from '@turnwright/base/collections/made-once.ts';

/**
 * What judges commands of the shell, loaded by the first one. Where it cannot be loaded this rejects, and
 * every verdict about a command with it: the gate then runs none.
 */
export const judgingCommands = lazily(() => import('./commands/index.ts'));
