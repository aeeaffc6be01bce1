/**
 * What the loop yields, as consumers see it. Stateful in two small ways: a tombstone becomes
 * `retracted_message_uuids` on the user message that follows it, and `supersedes` on the next assistant
 * message (L4.5); progress says how long its tool has been running.
 */

import { estimateText } from '../../context/estimate/text-estimate.ts';
import type { Attachment, RecalledMemory } from '../../protocol/model/attachment.ts';
import type {
  AssistantMessage,
  AttachmentMessage,
  LoopMessage,
  StreamEventsMessage,
  SystemMessage,
  UserMessage,
} from '../../protocol/model/messages.ts';
import type { StreamEvent } from '../../protocol/model/wire.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import { extended } from '../../util/collections/extended.ts';
import { countedIds } from '../../util/ids/counted-ids.ts';
import { stableUuid } from '../../util/ids/stable-uuid.ts';
import { answeredPrompt, createPromptStamp } from './answered-prompt.ts';
import { toolUseMeta, toSdkAssistant } from './to-sdk-assistant.ts';
import { toReplay, toSdkUser } from './to-sdk-user.ts';

/** Progress of an Agent call that carries a message of its agent, ready to be shown. */
export const AGENT_MESSAGE = 'agent_message';

export interface SdkMapperOptions {
  readonly sessionId: string;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly includePartialMessages: boolean;
  readonly replayUserMessages: boolean;
  /** Attachments as informational messages. */
  readonly verbose: boolean;
  /** Of the prompts that began the turn. */
  readonly userMessageUuids?: readonly string[] | undefined;
  /** Of those that joined it so far; grows while it runs. */
  readonly joinedUuids?: readonly string[] | undefined;
}

export interface SdkMapper {
  map(message: LoopMessage): SDKMessage[];
  /**
   * The attached queued prompts are part of the turn now; until then they may still return to the queue.
   * Prompts that are to be replayed are emitted synchronously; if there is no listener (false), before the
   * next mapped message.
   */
  joined(say: (message: SDKMessage) => boolean): void;
  /** Messages about retractions without a successor; call before the result. */
  flush(): SDKMessage[];
}

export function createSdkMapper(options: SdkMapperOptions): SdkMapper {
  const session_id = options.sessionId;
  const toolStartedMs = new Map<string, number>();
  /** Retracted uuids; the next assistant message names them in `supersedes`. */
  let retracted: string[] = [];
  /** How many of these a user message or a notice has named already. */
  let named = 0;
  const streamId = countedIds(() => options.ids.uuid());
  /** The response that stream events belong to. */
  let streamed: string | undefined;
  /**
   * Queued prompts that the model is about to be shown, and those that have joined and are not repeated yet.
   */
  let joining: SDKMessage[] = [];
  let replays: SDKMessage[] = [];

  let thoughtTokens = 0;
  const prompt = () => answeredPrompt(options.userMessageUuids ?? [], options.joinedUuids);
  const stampMessage = createPromptStamp(prompt);
  const stampEvent = createPromptStamp(prompt);

  /** What a finished block of thinking came to; nothing where the model does not show it. */
  const thought = (thinking: string): SDKMessage[] => {
    const delta = Math.ceil(estimateText(thinking));
    if (delta === 0) return [];
    thoughtTokens += delta;
    const { user_message_uuid } = prompt();
    return [
      {
        type: 'system',
        subtype: 'thinking_tokens',
        estimated_tokens: thoughtTokens,
        estimated_tokens_delta: delta,
        ...(user_message_uuid !== undefined && { user_message_uuid }),
        uuid: options.ids.uuid(),
        session_id,
      },
    ];
  };

  /** Retracted uuids that no message has named yet. */
  const unnamed = (): readonly string[] => {
    const uuids = retracted.slice(named);
    named = retracted.length;
    return uuids;
  };

  const flush = (): SDKMessage[] => {
    const retracted_message_uuids = unnamed();
    if (retracted_message_uuids.length === 0) return [];
    return [
      {
        type: 'system',
        subtype: 'informational',
        level: 'info',
        content: 'An answer that broke off was retracted.',
        retracted_message_uuids,
        // The same wherever it is made: live, and of the journal.
        uuid: stableUuid(`${session_id}/retracted/${retracted_message_uuids[0]}`),
        session_id,
      },
    ];
  };

  const assistant = (message: AssistantMessage): SDKMessage => {
    for (const block of message.message.content) {
      if (block.type === 'tool_use') toolStartedMs.set(block.id, options.clock.monotonicMs());
    }
    const supersedes = retracted;
    retracted = [];
    named = 0;
    const shown = extended(toSdkAssistant(message, session_id), toolUseMeta(message));
    return extended(
      shown,
      supersedes.length > 0 && { supersedes },
      message.synthetic === undefined && stampMessage(),
    );
  };

  const user = (message: UserMessage): SDKMessage[] => {
    if (typeof message.message.content !== 'string') {
      for (const block of message.message.content) {
        if (block.type === 'tool_result') toolStartedMs.delete(block.tool_use_id);
      }
    }
    const shown = toSdkUser(message, session_id);
    const retracted_message_uuids = message.kind === 'tool_result' ? [] : unnamed();
    return [retracted_message_uuids.length === 0 ? shown : { ...shown, retracted_message_uuids }];
  };

  const streamEvent = (event: StreamEvent, { ttftMs, thinkingDisplay }: StreamEventsMessage): SDKMessage => {
    const type = 'stream_event';
    const parent_tool_use_id = null;
    const uuid = streamId();
    const starts = event.type === 'message_start';
    if (starts) streamed = event.message.id;
    const isShownThinking = thinkingDisplay !== undefined && (starts || isThinking(event));
    if (streamed !== undefined && !starts && !isShownThinking)
      return { type, event, parent_tool_use_id, api_message_id: streamed, uuid, session_id };
    return {
      type,
      event,
      parent_tool_use_id,
      ...(streamed !== undefined && { api_message_id: streamed }),
      ...(starts && ttftMs !== undefined && { ttft_ms: ttftMs }),
      ...(isShownThinking && { thinking_display: thinkingDisplay }),
      ...(starts && stampEvent()),
      uuid,
      session_id,
    };
  };

  const requesting = (): SDKMessage => {
    const { ids, userMessageUuids: uuids = [] } = options;
    return {
      type: 'system',
      subtype: 'status',
      status: 'requesting',
      ...(uuids.length > 0 && { user_message_uuids: uuids }),
      uuid: ids.uuid(),
      session_id,
    };
  };

  const map = (message: LoopMessage): SDKMessage[] => {
    if (replays.length === 0) return mapped(message);
    const repeated = replays;
    replays = [];
    return [...repeated, ...mapped(message)];
  };

  const mapped = (message: LoopMessage): SDKMessage[] => {
    switch (message.type) {
      case 'assistant': {
        const block = message.message.content[0];
        return block?.type === 'thinking'
          ? [...thought(block.thinking), assistant(message)]
          : [assistant(message)];
      }
      case 'user':
        return user(message);
      case 'attachment':
        joining.push(...replayOf(message, session_id, options));
        return attachment(message, session_id, options);
      case 'system':
        return [system(message, session_id, options.userMessageUuids?.[0])];
      case 'progress':
        if (message.data.type === AGENT_MESSAGE) return [message.data['message'] as SDKMessage];
        return [
          {
            type: 'tool_progress',
            tool_use_id: message.toolUseId,
            tool_name: message.toolName,
            parent_tool_use_id: null,
            elapsed_time_seconds: secondsSince(toolStartedMs.get(message.toolUseId), options.clock),
            ...(message.data.type === 'heartbeat' ? { heartbeat: true } : { data: message.data }),
            uuid: message.uuid,
            session_id,
          },
        ];
      case 'stream_events':
        if (!options.includePartialMessages) return [];
        return message.events.map((event) => streamEvent(event, message));
      case 'stream_request_start':
        return options.includePartialMessages ? [requesting()] : [];
      case 'tombstone':
        retracted.push(...message.uuids);
        return [];
      case 'tool_use_summary':
        return [
          {
            type: 'tool_use_summary',
            summary: message.summary,
            preceding_tool_use_ids: message.toolUseIds,
            uuid: message.uuid,
            session_id,
          },
        ];
    }
  };

  return {
    map,
    joined(say) {
      for (const replay of joining) if (!say(replay)) replays.push(replay);
      joining = [];
    },
    flush: () => [...replays.splice(0), ...flush()],
  };
}

const isThinking = (event: StreamEvent): boolean =>
  event.type === 'content_block_start'
    ? event.content_block.type === 'thinking'
    : event.type === 'content_block_delta' && event.delta.type === 'thinking_delta';

/** A queued prompt that joins the turn, when prompts are replayed. */
function replayOf(
  { attachment, uuid, timestamp }: AttachmentMessage,
  session_id: string,
  { replayUserMessages }: SdkMapperOptions,
): SDKMessage[] {
  if (attachment.type !== 'queued_command' || !replayUserMessages) return [];
  const { prompt, sourceUuid, origin } = attachment as Extract<Attachment, { type: 'queued_command' }>;
  return [toReplay({ uuid: sourceUuid ?? uuid, content: prompt, timestamp, origin }, session_id)];
}

/** Attachments are only for the model, unless the consumer asked for all messages. */
function attachment(message: AttachmentMessage, session_id: string, options: SdkMapperOptions): SDKMessage[] {
  if (message.attachment.type === 'relevant_memories') {
    const memories = message.attachment['memories'] as readonly RecalledMemory[];
    return [
      { type: 'system', subtype: 'memory_recall', mode: 'select', memories, uuid: message.uuid, session_id },
    ];
  }
  const shown: SDKMessage[] = [];
  // Some are for the record alone: nothing of them is sent.
  if (options.verbose && message.rendered.length > 0) {
    shown.push({
      type: 'system',
      subtype: 'informational',
      level: 'info',
      content: `Added for the model: ${message.attachment.type}`,
      uuid: message.uuid,
      session_id,
    });
  }
  return shown;
}

function system(message: SystemMessage, session_id: string, promptUuid: string | undefined): SDKMessage {
  const { timestamp: _, ...rest } = message;
  if (rest.subtype !== 'model_refusal_fallback') return { ...rest, session_id };
  return { ...rest, refused_user_message_uuid: promptUuid ?? null, session_id };
}

function secondsSince(startMs: number | undefined, clock: Clock): number {
  return startMs === undefined ? 0 : Math.max(0, clock.monotonicMs() - startMs) / 1000;
}
