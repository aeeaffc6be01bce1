/** `turnwright case add [session]`: a case for `eval`, made of a session. */
import { relative } from 'node:path';
import { listSessions } from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CaseInvocation } from '../flags/eval-flags.ts';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';

/** The named session, in any folder; else the newest of this folder. */
export async function runCaseCommand(
  { cwd, env, out }: Pick<World, 'cwd' | 'env' | 'out'>,
  { session, at, to }: CaseInvocation,
): Promise<ExitCode> {
  const sessionId = session ?? (await listSessions({ dir: cwd, env, limit: 1 }))[0]?.sessionId;
  if (sessionId === undefined) throw new UsageError('There is no session of this folder to make a case of.');
  const { addCase } = await import('@turnwright/evals');
  const { folder, checks, secrets, notes } = await addCase({ sessionId, at, to, cwd, env });
  const shown = relative(cwd, folder);
  const lines = [
    `Made ${shown}.`,
    'Proposed checks, to be read and changed:',
    ...checks.map((check) => `  ${check}`),
    ...(notes.length > 0 ? ['About its files:', ...notes.map((note) => `  ${note}`)] : []),
    ...(secrets.length > 0
      ? ['Removed, as they look like secrets:', ...secrets.map((each) => `  ${each}`)]
      : ['No secrets were found. Read it before you share it.']),
    `Try it: turnwright eval ${shown} --replayed`,
  ];
  await out.write(`${visible(lines.join('\n'))}\n`);
  return EXIT.success;
}
