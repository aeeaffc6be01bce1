/** The messages that end a turn or a run. */
import type { Batch } from '../../engine/submission/submit-message.ts';
import type { SDKResultMessage } from '../../protocol/stream/result-message.ts';

export const resultIn = (batch: Batch): SDKResultMessage | undefined =>
  batch.findLast((message) => message.type === 'result');

/** The run is over without a result; another one, with `resume`, goes on. */
export const isParkedIn = (batch: Batch): boolean =>
  batch.some((message) => message.type === 'system' && message.subtype === 'session_parked');
