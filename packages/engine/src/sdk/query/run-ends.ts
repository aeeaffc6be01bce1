/** The messages that end a turn or a run. */
import type { SDKBatch } from '../../engine/submission/submit-message.ts';
import type { SDKResultMessage } from '../../protocol/stream/result-message.ts';

export function resultIn(batch: SDKBatch): SDKResultMessage | undefined {
  // Every batch of a run is asked.
  for (let at = batch.length - 1; at >= 0; at--) {
    const message = batch[at];
    if (message?.type === 'result') return message;
  }
  return undefined;
}

/** The run is over without a result; another one, with `resume`, goes on. */
export function isParkedIn(batch: SDKBatch): boolean {
  for (const message of batch)
    if (message.type === 'system' && message.subtype === 'session_parked') return true;
  return false;
}
