/** `turnwright case add [session]`: a case for `eval`, made of a session. */
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CaseInvocation } from '../flags/eval-flags.ts';
import type { World } from '../world.ts';

export async function runCaseCommand(_world: World, _call: CaseInvocation): Promise<ExitCode> {
  return EXIT.error;
}
