/** What a refusal of a request says of its message thread. */
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { RequestBody } from '../request/request-body.ts';

/** Error type of an answer that is about the new turns alone. */
export const NOT_HELD = 'thread_not_held';

/** `lost`: another thread may be begun. `unusable`: the endpoint may not know or not take any. */
type ThreadRefusal = 'lost' | 'unusable';

interface RefusedThread {
  readonly body: RequestBody;
  readonly errorCode?: string | undefined;
}

/** Near the beginning: validators quote what users wrote. */
const NAMED = /^(?:Not found: )?[^"]{0,80}?\b(?:previous_message_id|threads?)\b/i;
const NAMES_RESPONSE = /\bprevious_message_id\b|\bthread\b.*\b(?:not found|expired|unknown|no longer)\b/i;

/** undefined: it is about something else. */
export function threadRefusal(
  failure: ModelFailure,
  { body, errorCode }: RefusedThread,
): ThreadRefusal | undefined {
  const { status = 0, message, block, errorType } = failure;
  if (errorType === NOT_HELD) return 'unusable';
  if (status < 400 || status >= 500 || status === 429) return undefined;
  if (errorCode?.startsWith('thread_') === true) return /unsupported/.test(errorCode) ? 'unusable' : 'lost';
  if (![400, 404, 409, 422].includes(status)) return undefined;
  if (NAMED.test(message)) return NAMES_RESPONSE.test(message.slice(0, 200)) ? 'lost' : 'unusable';
  // A place in the messages: without the ones that the endpoint should hold, it may be about their absence.
  return body.thread?.turns !== undefined && block !== undefined ? 'unusable' : undefined;
}

/** The code in the details of an error of the API. */
export const errorCodeIn = (text: string): string | undefined => /"error_code"\s*:\s*"(\w+)"/.exec(text)?.[1];
