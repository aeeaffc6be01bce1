/** `turnwright record [session]`: a session as a scenario of the rehearsal server. */
import { resolve } from 'node:path';
import { recordSession } from '@turnwright/engine';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { RecordInvocation } from '../flags/replay-flags.ts';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';
import { writeNew } from '../write-new.ts';

/** For its owner: a prompt can hold anything. */
const PRIVATE = 0o600;

/** The named session, in any folder; else the newest of this folder. */
export async function runRecordCommand(
  { cwd, env, out, err }: Pick<World, 'cwd' | 'env' | 'out' | 'err'>,
  { session, output, redact, submission }: RecordInvocation,
): Promise<ExitCode> {
  const text = await recordSession(session, {
    cwd,
    env,
    redact,
    ...(submission !== undefined && { submission }),
  });
  if (text === undefined) {
    await err.write('Nothing can be recorded: the session holds no answer of a model.\n');
    return EXIT.notRecorded;
  }
  if (output === undefined) {
    await out.write(text);
    return EXIT.success;
  }
  if (!(await writeNew(resolve(cwd, output), text, PRIVATE)))
    throw new UsageError(`${output} exists already: give --output another name, or remove it.`);
  await out.write(`${output} is written. To play it: turnwright rehearse ${output}\n`);
  return EXIT.success;
}
