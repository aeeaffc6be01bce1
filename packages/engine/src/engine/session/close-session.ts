/**
 * Closes a session, whatever it is doing (L1): everything it opened is closed, and everything it did is
 * recorded.
 */
import { within } from '@turnwright/base/async/promises.ts';
import type { Submission } from '../submission/submission.ts';
import type { Session } from './session.ts';

/** How long an ended run may take to record how it ended, in ms. */
const RUN_END_MS = 500;

export async function closeSession(session: Session, running: Submission | undefined): Promise<void> {
  await session.scope.close('closed');
  // The run still records how its open calls ended (L10.1); a consumer that does not read on does not delay
  // this.
  running?.leave('closed');
  await within(
    RUN_END_MS,
    running?.run?.catch(() => {}),
  );
  await running?.end();
  await within(RUN_END_MS, session.tasks.stopAll('session'));
  if (session.hooks.has('SessionEnd')) {
    // Each hook has one second, unless its own timeout is longer.
    const reason = session.conversation.successor === undefined ? 'other' : 'clear';
    await session.hooks.run({ event: 'SessionEnd', reason }, { signal: new AbortController().signal });
  }
  await session.hooks.close();
  // Nothing runs in the sandbox after the hooks.
  if (session.sandbox !== undefined) await within(RUN_END_MS, session.sandbox.close());
  const { isHandedOver } = session.conversation;
  if (!isHandedOver) await session.mcp.close();
  session.model.client.close();
  try {
    await session.conversation.journal.close();
  } finally {
    // After /clear the log continues with the following conversation.
    if (!isHandedOver) await session.config.debug?.close();
  }
}
