/**
 * Assistant messages as the stream shows them: the model's, and those that the engine writes in its place.
 */

import { extended } from '@turnwright/base/collections/extended.ts';
import { oncePer } from '@turnwright/base/collections/made-once.ts';
import { titleWords } from '@turnwright/base/text/title-words.ts';
import type { AssistantMessage, ThoughtFacts } from '../../protocol/model/messages.ts';
import type { SDKAssistantMessage, SyntheticUsage } from '../../protocol/stream/sdk-messages.ts';
import type { McpOrigin } from '../../protocol/tools/mcp.ts';

/** Of every message that no model wrote. */
const SYNTHETIC_MODEL = '<synthetic>';

const SYNTHETIC_USAGE: SyntheticUsage = Object.freeze({
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  output_tokens_details: null,
  service_tier: null,
  inference_geo: null,
  iterations: null,
  speed: null,
  fallback_credit: null,
});

/** An assistant message of the conversation as the stream shows it. */
export function toSdkAssistant(message: AssistantMessage, session_id: string): SDKAssistantMessage {
  const { synthetic } = message;
  return {
    type: 'assistant',
    message:
      synthetic === undefined
        ? extended(message.message, filledCall(message), { context_management: null })
        : syntheticBody(message.message),
    parent_tool_use_id: null,
    timestamp: message.timestamp,
    uuid: message.uuid,
    session_id,
    ...(synthetic !== undefined && errorFields(synthetic)),
    ...(message.requestId !== undefined && { request_id: message.requestId }),
    ...(message.thought !== undefined && thoughtFields(message.thought)),
    ...(message.aborted === true && { aborted: true }),
  };
}

/** Consumers receive the fields that a tool derives of its input; the API does not. */
function filledCall({
  derivedInput,
  message,
}: AssistantMessage): Pick<AssistantMessage['message'], 'content'> | undefined {
  if (derivedInput === undefined) return undefined;
  const content = message.content.map((block) =>
    block.type === 'tool_use' ? { ...block, input: { ...block.input, ...derivedInput } } : block,
  );
  return { content };
}

function thoughtFields({
  durationMs,
  display,
}: ThoughtFacts): Pick<SDKAssistantMessage, 'thinking_duration_ms' | 'thinking_display'> {
  return { thinking_duration_ms: durationMs, ...(display !== undefined && { thinking_display: display }) };
}

/** What people call the tools that are called, where it is not the name: those of servers, known or not. */
export function toolUseMeta({ message, mcp }: AssistantMessage): Pick<SDKAssistantMessage, 'tool_use_meta'> {
  const meta = message.content.flatMap((block) => {
    if (block.type !== 'tool_use') return [];
    const { id, name } = block;
    if (mcp === undefined) {
      const display_name = titleWords(name.split('__').at(-1) ?? name);
      return display_name === name ? [] : [{ id, display_name }];
    }
    return [{ id, ...namesOf(mcp) }];
  });
  return meta.length === 0 ? {} : { tool_use_meta: meta };
}

const namesOf = oncePer(({ server, serverName = server, tool, title }: McpOrigin) => ({
  display_name: title ?? titleWords(tool),
  server_display_name: serverName,
  tool_name: tool,
}));

/** What a local command answered, in the model's place. */
export function localAnswer(
  text: string,
  stamp: { readonly uuid: string; readonly timestamp: string },
  session_id: string,
): SDKAssistantMessage {
  return {
    type: 'assistant',
    message: syntheticBody({
      id: stamp.uuid,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
    }),
    parent_tool_use_id: null,
    ...stamp,
    session_id,
  };
}

function syntheticBody({
  id,
  content,
  stop_reason,
  stop_sequence,
}: Pick<
  SDKAssistantMessage['message'],
  'id' | 'content' | 'stop_reason' | 'stop_sequence'
>): SDKAssistantMessage['message'] {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: SYNTHETIC_MODEL,
    content,
    stop_reason,
    stop_sequence,
    stop_details: null,
    container: null,
    diagnostics: null,
    context_management: null,
    usage: SYNTHETIC_USAGE,
  };
}

function errorFields({
  error,
  status,
  errorType,
}: NonNullable<AssistantMessage['synthetic']>): Pick<
  SDKAssistantMessage,
  'error' | 'is_api_error_message' | 'api_error_status' | 'api_error_type'
> {
  return {
    error,
    is_api_error_message: true,
    ...(status !== undefined && { api_error_status: status }),
    ...(errorType !== undefined && { api_error_type: errorType }),
  };
}
