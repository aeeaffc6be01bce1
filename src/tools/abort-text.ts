import type { AbortWhy } from './outcome.ts';

/**
 * Text for the model about a call that an abort ended. `started`: the tool may have done part of its work.
 */
export function abortText(why: AbortWhy, started: boolean): string {
  const inPart = 'It may have run in part: check what it did before repeating it.';
  switch (why) {
    case 'interrupted':
      return started
        ? `The user doesn't want to proceed with this tool use and stopped it while it was running. ${inPart} Wait for what the user says next.`
        : "The user doesn't want to proceed with this tool use: the turn was interrupted before it ran. Wait for what the user says next.";
    case 'discarded':
    case 'superseded': {
      const fate = why === 'discarded' ? 'was discarded' : 'was replaced by a newer one';
      return started
        ? `The response that made this call ${fate} while the tool was running. ${inPart}`
        : `The response that made this call ${fate}, so it did not run.`;
    }
    case 'failed':
      return started
        ? `The turn failed while this tool was running. ${inPart}`
        : 'The turn failed before this call could run, so it did not run.';
  }
}
