/** What every result carries besides its ending. */

import { extended } from '@turnwright/base/collections/extended.ts';
import type { FastModeStatus } from '../../protocol/model/model.ts';
import type { ResultUsage, Usage } from '../../protocol/model/wire.ts';
import type { Verification } from '../../protocol/session/verification.ts';
import type { ModelUsage, SubagentStats } from '../../protocol/stream/result-message.ts';
import type { PermissionDenial } from '../../protocol/tools/permission.ts';
import { fastModeFields } from '../models/fast-mode-status.ts';
import type { SubmissionTimes } from '../submission/submission-times.ts';
import { answeredPrompt } from './answered-prompt.ts';

export interface ResultFacts {
  readonly uuid: string;
  readonly sessionId: string;
  readonly durationMs: number;
  readonly durationApiMs: number;
  readonly totalCostUsd: number;
  readonly usage: Usage;
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  readonly fastMode: FastModeStatus;
  readonly permissionDenials: readonly PermissionDenial[];
  readonly origin?: { readonly kind: string; readonly [key: string]: unknown } | undefined;
  /** Of the prompts that began the turn. */
  readonly userMessageUuids?: readonly string[] | undefined;
  readonly times?: SubmissionTimes | undefined;
  readonly usageSinceLastResult: Readonly<Record<string, ModelUsage>>;
  readonly subagentStats: SubagentStats;
  readonly safetyStops: number;
  /** Of prompts that joined the turn. */
  readonly joinedUuids?: readonly string[];
  /** Number of queued prompts. */
  readonly queuedTurns?: number;
  /** Absent: it had no completion conditions. */
  readonly verification?: Verification | undefined;
  /** Results of this engine before it. */
  readonly index?: number;
}

export function commonFields(facts: ResultFacts) {
  return {
    duration_ms: facts.durationMs,
    duration_api_ms: facts.durationApiMs,
    total_cost_usd: facts.totalCostUsd,
    usage: wholeUsage(facts.usage),
    modelUsage: facts.modelUsage,
    model_usage_since_last_result: facts.usageSinceLastResult,
    subagent_stats: facts.subagentStats,
    safety_stops: facts.safetyStops,
    ...fastModeFields(facts.fastMode),
    permission_denials: facts.permissionDenials,
    ...(facts.origin !== undefined && { origin: facts.origin }),
    ...answeredPrompt(facts.userMessageUuids ?? [], facts.joinedUuids),
    ...(facts.queuedTurns !== undefined && { queued_turn_count: facts.queuedTurns }),
    ...(facts.index !== undefined && { result_index: facts.index }),
    ...(facts.verification !== undefined && { verification: facts.verification }),
    session_id: facts.sessionId,
    uuid: facts.uuid,
  };
}

/** The fields that every usage has. */
type TokenCounts =
  | 'input_tokens'
  | 'output_tokens'
  | 'cache_creation_input_tokens'
  | 'cache_read_input_tokens';

/** Filled up with what the API did not tell. */
export function wholeUsage(usage: Usage): ResultUsage {
  const { service_tier: tier, server_tool_use: used } = usage;
  const told = usage as Partial<ResultUsage>;
  return extended<Usage, Omit<ResultUsage, TokenCounts>>(usage, {
    cache_creation: usage.cache_creation ?? {
      ephemeral_5m_input_tokens: usage.cache_creation_input_tokens,
      ephemeral_1h_input_tokens: 0,
    },
    server_tool_use: {
      web_search_requests: used?.web_search_requests ?? 0,
      web_fetch_requests: used?.web_fetch_requests ?? 0,
    },
    output_tokens_details: { thinking_tokens: usage.output_tokens_details?.thinking_tokens ?? 0 },
    service_tier: tier === 'priority' || tier === 'batch' ? tier : 'standard',
    inference_geo: told.inference_geo ?? '',
    speed: told.speed ?? 'standard',
    fallback_credit: null,
    iterations: [],
  });
}

export function timings({ times, userMessageUuids = [] }: ResultFacts) {
  if (times?.stream === undefined) return {};
  const { request, requestWall, stream, content, usage } = times;
  return {
    ttft_stream_ms: stream,
    ...(content !== undefined && { ttft_ms: content, first_content_frame_ms: content }),
    ...(request !== undefined && { time_to_request_ms: request }),
    ...(userMessageUuids.length > 0 && {
      ...(requestWall !== undefined && { request_sent_wall_ms: requestWall }),
      ...(usage !== undefined && {
        first_request_input_tokens: usage.input_tokens,
        first_request_cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
      }),
    }),
  };
}
