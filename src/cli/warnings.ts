import { visible } from '../terminal/text/visible.ts';
import type { World } from './world.ts';

/**
 * Warnings go to stderr unchanged, one line each: stdout is for the answer, and programs search for some of
 * them.
 */
export function warnOn(world: World): (line: string) => void {
  return (line) => void world.err.write(`${visible(line)}\n`).catch(() => undefined);
}
