/** The end of a session, whatever it was doing (L1): nothing it opened is left, and what it did is on record. */
import { within } from '../../util/async/with-timeout.ts';
import type { Submission } from '../submission/submission.ts';
import type { EngineParts } from './session-parts.ts';

/** How long a run that was ended may take to write down how it ended, in ms. */
const RUN_END_MS = 500;

export async function closeSession(
  parts: EngineParts,
  running:
    | { readonly submission: Submission; readonly run: AsyncGenerator<unknown, void, void> | undefined }
    | undefined,
): Promise<void> {
  await parts.scope.close('closed');
  // The run still puts on record how its open calls ended (L10.1); a consumer that holds it up is not waited for.
  if (running?.run !== undefined)
    await within(
      RUN_END_MS,
      running.run.return().catch(() => {}),
    );
  await running?.submission.end();
  await within(RUN_END_MS, parts.tasks.stopAll('session'));
  if (parts.hooks.has('SessionEnd')) {
    // Each has a second, unless its owner gave it more.
    const reason = parts.memory.successor === undefined ? 'other' : 'clear';
    await parts.hooks.run({ event: 'SessionEnd', reason }, { signal: new AbortController().signal });
  }
  await parts.hookRoom.close();
  // Hooks are the last that run in it.
  if (parts.sandbox !== undefined) await within(RUN_END_MS, parts.sandbox.close());
  const { handedOver } = parts.memory;
  if (!handedOver) await parts.mcp.close();
  parts.model.close();
  try {
    await parts.journal.close();
  } finally {
    // After /clear the log goes on with the conversation that follows.
    if (!handedOver) await parts.config.debug?.close();
  }
}
