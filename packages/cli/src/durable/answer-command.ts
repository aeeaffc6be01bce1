/** `turnwright answer`: answers a question that a session in a database waits for. */
import { durableClient } from '@turnwright/durable';
import type { PermissionResult } from '@turnwright/engine';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { AnswerInvocation } from '../flags/durable-flags.ts';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';
import { databaseUrl } from './database-url.ts';
import { wholeQuestion, wholeSession } from './whole-ids.ts';

export async function runAnswerCommand(
  world: World,
  { session, ask, behavior, flags }: AnswerInvocation,
): Promise<ExitCode> {
  const url = databaseUrl(flags, world);
  if (behavior === 'allow' && flags.message !== undefined)
    throw new UsageError('--message goes with deny: it tells the model why.');
  if (behavior === 'deny' && flags.input !== undefined)
    throw new UsageError('--input goes with allow: the call runs with it.');
  const answer: PermissionResult =
    behavior === 'allow'
      ? { behavior, ...(flags.input !== undefined && { updatedInput: { ...flags.input } }) }
      : { behavior, message: flags.message ?? 'The person who was asked said no.' };
  const client = durableClient(url);
  try {
    const sessionId = await wholeSession(session, client);
    await client.answer(sessionId, await wholeQuestion(ask, sessionId, client), answer);
  } finally {
    await client.close();
  }
  return EXIT.success;
}
