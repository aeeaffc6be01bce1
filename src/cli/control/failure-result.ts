/** What a host is told when a session cannot run at all: a result, like any other end. */
import { randomUUID } from 'node:crypto';
import type { SDKResultMessage } from '../../index.ts';
import { NotDelivered } from './launch-demands.ts';

const NO_USAGE = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  output_tokens_details: { thinking_tokens: 0 },
  service_tier: 'standard' as const,
  inference_geo: '',
  speed: 'standard' as const,
  fallback_credit: null,
  iterations: [],
};

export function failureResult(error: unknown, sessionId?: string): SDKResultMessage {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    errors: [error instanceof Error ? error.message : String(error)],
    ...(error instanceof NotDelivered && { startup_failure_reason: error.reason }),
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: 0,
    usage: NO_USAGE,
    modelUsage: {},
    permission_denials: [],
    session_id: sessionId ?? randomUUID(),
    uuid: randomUUID(),
  };
}
