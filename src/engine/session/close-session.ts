/** The end of a session, whatever it was doing (L1): nothing it opened is left, and what it did is on record. */
import { within } from '../../util/async/with-timeout.ts';
import type { Submission } from '../submission/submission.ts';
import type { Session } from './session.ts';

/** How long a run that was ended may take to write down how it ended, in ms. */
const RUN_END_MS = 500;

export async function closeSession(
  session: Session,
  running:
    | { readonly submission: Submission; readonly run: AsyncGenerator<unknown, void, void> | undefined }
    | undefined,
): Promise<void> {
  await session.scope.close('closed');
  // The run still puts on record how its open calls ended (L10.1); a consumer that holds it up is not waited for.
  if (running?.run !== undefined)
    await within(
      RUN_END_MS,
      running.run.return().catch(() => {}),
    );
  await running?.submission.end();
  await within(RUN_END_MS, session.tasks.stopAll('session'));
  if (session.hooks.has('SessionEnd')) {
    // Each has a second, unless its owner gave it more.
    const reason = session.conversation.successor === undefined ? 'other' : 'clear';
    await session.hooks.run({ event: 'SessionEnd', reason }, { signal: new AbortController().signal });
  }
  await session.hooks.close();
  // Hooks are the last that run in it.
  if (session.sandbox !== undefined) await within(RUN_END_MS, session.sandbox.close());
  const { isHandedOver } = session.conversation;
  if (!isHandedOver) await session.mcp.close();
  session.model.client.close();
  try {
    await session.conversation.journal.close();
  } finally {
    // After /clear the log goes on with the conversation that follows.
    if (!isHandedOver) await session.config.debug?.close();
  }
}
