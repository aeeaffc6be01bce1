/** `turnwright explain [session]`: why each iteration of a session ended as it did. */
import { explainSession } from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { World } from '../world.ts';

/** The named session, in any folder; else the newest of this folder. */
export async function runExplainCommand(
  { cwd, env, out }: Pick<World, 'cwd' | 'env' | 'out'>,
  { session, redact }: { readonly session: string | undefined; readonly redact: boolean },
): Promise<ExitCode> {
  const text = await explainSession(session, { cwd, env, redact });
  await out.write(`${visible(text.trimEnd())}\n`);
  return EXIT.success;
}
