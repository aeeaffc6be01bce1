/** `turnwright explain [session]`: why each iteration of a session ended as it did. */
import { explainSession } from '../../index.ts';
import { visible } from '../../terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { World } from '../world.ts';

/** The named session, in any folder; else the newest of this folder. */
export async function runExplainCommand(world: World, session: string | undefined): Promise<ExitCode> {
  const text = await explainSession(session, { cwd: world.cwd, env: world.env });
  await world.out.write(`${visible(text.trimEnd())}\n`);
  return EXIT.success;
}
