/**
 * What an agent's loop yields, as consumers see it: its prompt, its calls and their results, marked with
 * whose they are. Its text and thinking only when asked for: its report comes as the result of the call that
 * started it.
 */

import type { LoopMessage, SystemMessage } from '../../protocol/model/messages.ts';
import type { FromAgent, SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { SpawnRequest } from '../../protocol/tools/agent.ts';
import { AGENT_TOOL } from '../../subagents/agent-tool.ts';
import { createSdkMapper, type SdkMapperOptions } from '../output/to-sdk-message.ts';

interface AgentMessages {
  /** The prompt, as a user message. */
  prompt(uuid: string, timestamp: string): SDKMessage;
  map(message: LoopMessage): readonly SDKMessage[];
}

interface AgentMessagesOptions extends Pick<SdkMapperOptions, 'sessionId' | 'ids' | 'clock'> {
  /** Text and thinking too. */
  readonly text: boolean;
  /** Raw stream events too. */
  readonly partial: boolean;
}

export function createAgentMessages(request: SpawnRequest, options: AgentMessagesOptions): AgentMessages {
  const { sessionId: session_id, ids } = options;
  const parent_tool_use_id = request.toolUseId;
  const from: FromAgent = {
    agent_id: request.agentId,
    subagent_type: request.definition.name,
    task_description: request.description,
  };
  const mapper = createSdkMapper({
    ...options,
    includePartialMessages: options.partial,
    replayUserMessages: false,
    verbose: false,
  });

  const retry = (message: Extract<SystemMessage, { subtype: 'api_retry' }>): SDKMessage => ({
    type: 'tool_progress',
    tool_use_id: parent_tool_use_id,
    tool_name: AGENT_TOOL,
    parent_tool_use_id: null,
    elapsed_time_seconds: 0,
    subagent_type: request.definition.name,
    subagent_retry: {
      agent_id: request.agentId,
      attempt: message.attempt,
      max_retries: message.max_retries,
      retry_delay_ms: message.retry_delay_ms,
      error_status: message.error_status,
      error_category: message.error,
    },
    uuid: ids.uuid(),
    session_id,
  });

  const shown = (message: SDKMessage): SDKMessage | undefined => {
    switch (message.type) {
      case 'assistant': {
        const content = options.text
          ? message.message.content
          : message.message.content.filter(({ type }) => type === 'tool_use');
        if (content.length === 0) return undefined;
        return { ...message, message: { ...message.message, content }, parent_tool_use_id, ...from };
      }
      case 'user': {
        const { content } = message.message;
        const isResult = typeof content !== 'string' && content.some(({ type }) => type === 'tool_result');
        return isResult || options.text ? { ...message, parent_tool_use_id, ...from } : undefined;
      }
      case 'stream_event':
        return { ...message, parent_tool_use_id };
      case 'tool_progress':
        return { ...message, parent_tool_use_id, subagent_type: request.definition.name };
      case 'system':
        if (message.subtype === 'permission_denied') return { ...message, agent_id: request.agentId };
        // What hooks say to the person; warnings about the agent's own context are not for the person.
        return message.subtype === 'informational' && message.level === 'notice' ? message : undefined;
      default:
        return undefined;
    }
  };

  return {
    prompt: (uuid, timestamp) => ({
      type: 'user',
      message: { role: 'user', content: [{ type: 'text', text: request.prompt }] },
      parent_tool_use_id,
      ...from,
      timestamp,
      uuid,
      session_id,
    }),
    map(message) {
      if (message.type === 'system' && message.subtype === 'api_retry') return [retry(message)];
      return mapper.map(message).flatMap((each) => shown(each) ?? []);
    },
  };
}
