/** `turnwright explain [session]`: why each iteration of a session ended as it did. */
import { explainSession, newestSession, readSession } from '../index.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';
import type { World } from './world.ts';

export async function explainCommand(world: World, session: string | undefined): Promise<ExitCode> {
  const where = { cwd: world.cwd, env: world.env };
  const id = session ?? (await newestSession(where));
  if (id === undefined) throw new UsageError(`There is no session of ${world.cwd} yet.`);
  const text = explainSession(await readSession(id, where));
  await world.out.write(text.endsWith('\n') ? text : `${text}\n`);
  return EXIT.success;
}
