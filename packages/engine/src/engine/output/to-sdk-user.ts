/** User messages as the stream shows them. */
import type { UserMessage } from '../../protocol/model/messages.ts';
import type { UserBlock } from '../../protocol/model/wire.ts';
import type { SDKMessage, SDKUserMessage } from '../../protocol/stream/sdk-messages.ts';

/** A user message of the conversation as the stream shows it. */
export function toSdkUser(message: UserMessage, session_id: string): SDKUserMessage {
  return {
    type: 'user',
    message: message.message,
    parent_tool_use_id: null,
    timestamp: message.timestamp,
    uuid: message.uuid,
    session_id,
    ...(message.isSynthetic === true && { isSynthetic: true }),
    ...(message.toolUseResult !== undefined && { tool_use_result: message.toolUseResult }),
    ...toolResultMeta(message),
    ...(message.origin !== undefined && { origin: message.origin }),
  };
}

function toolResultMeta({ message, decided }: UserMessage): Pick<SDKUserMessage, 'tool_result_meta'> {
  if (decided === undefined || typeof message.content === 'string') return {};
  const { permission, nonExecutionKind: kind } = decided;
  const meta = {
    ...(kind !== undefined && { non_execution_kind: kind }),
    ...(permission !== undefined && { permission_decision: permission }),
  };
  const ids = message.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
  return { tool_result_meta: ids.map((id) => ({ id, ...meta })) };
}

/** A prompt repeated to its sender, under the uuid it came with. */
export function toReplay(
  prompt: {
    readonly uuid: string;
    readonly content: string | readonly UserBlock[];
    readonly timestamp: string;
    readonly origin?: UserMessage['origin'];
  },
  session_id: string,
): SDKMessage {
  return {
    type: 'user',
    message: { role: 'user', content: prompt.content },
    parent_tool_use_id: null,
    isReplay: true,
    timestamp: prompt.timestamp,
    uuid: prompt.uuid,
    session_id,
    ...(prompt.origin !== undefined && { origin: prompt.origin }),
  };
}
