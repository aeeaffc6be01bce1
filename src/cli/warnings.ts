import { visible } from './screen/visible.ts';
import type { World } from './world.ts';

/** Warnings stand on stderr, one line each and as they are: stdout is the answer's, and programs look for some of them. */
export function warnOn(world: World): (line: string) => void {
  return (line) => void world.err.write(`${visible(line)}\n`).catch(() => undefined);
}
