/** The result of a session that could not begin: like any other end, but nothing was run for it. */

import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { EMPTY_USAGE } from '../../protocol/model/wire.ts';
import type { SDKResultError } from '../../protocol/stream/result-message.ts';
import { wholeUsage } from './result-fields.ts';

/** `sessionId`: default a new one. */
export function failureResult(error: unknown, sessionId?: string): SDKResultError {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    errors: [errorText(error)],
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: 0,
    usage: wholeUsage(EMPTY_USAGE),
    modelUsage: {},
    permission_denials: [],
    result_index: 0,
    session_id: sessionId ?? uuid(),
    uuid: uuid(),
  };
}
