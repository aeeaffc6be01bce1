/** `turnwright start`: the bundled rehearsal, regardless of configuration. */

import type { ExitCode } from '../exit-codes.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import type { World } from '../world.ts';
import { runBundled } from './bundled-run.ts';

export function runStartCommand(world: World, words: readonly string[], flags: RunFlags): Promise<ExitCode> {
  return runBundled(world, flags, words.join(' ').trim());
}
