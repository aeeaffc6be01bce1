/**
 * What the loop yields, as consumers see it. Stateful in two small ways: a tombstone becomes
 * `retracted_message_uuids` on the user message that follows it, and `supersedes` on the next assistant
 * message (L4.5); progress says how long its tool has been running.
 */

import { extended } from '@turnwright/base/collections/extended.ts';
import { countedIds } from '@turnwright/base/ids/counted-ids.ts';
import { stableUuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import { estimateText } from '../../context/estimate/text-estimate.ts';
import type {
  AssistantMessage,
  LoopMessage,
  StreamEventsMessage,
  SystemMessage,
  UserMessage,
} from '../../protocol/model/messages.ts';
import type { StreamEvent } from '../../protocol/model/wire.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import { answeredPrompt, createPromptStamp } from './answered-prompt.ts';
import { toolUseMeta, toSdkAssistant } from './to-sdk-assistant.ts';
import { replayQueued, toSdkAttachment } from './to-sdk-attachment.ts';
import { toSdkUser } from './to-sdk-user.ts';

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
  return new Mapper(options);
}

class Mapper implements SdkMapper {
  readonly #options: SdkMapperOptions;
  readonly #sessionId: string;
  readonly #toolStartedMs = new Map<string, number>();
  /** Retracted uuids; the next assistant message names them in `supersedes`. */
  #retracted: string[] = [];
  /** How many of these a user message or a notice has named already. */
  #named = 0;
  readonly #streamId: () => string;
  /** The response that stream events belong to. */
  #streamed: string | undefined;
  /**
   * Queued prompts that the model is about to be shown, and those that have joined and are not repeated yet.
   */
  #joining: SDKMessage[] = [];
  #replays: SDKMessage[] = [];
  #thoughtTokens = 0;
  readonly #prompt: () => ReturnType<typeof answeredPrompt>;
  readonly #stampMessage: ReturnType<typeof createPromptStamp>;
  readonly #stampEvent: ReturnType<typeof createPromptStamp>;

  constructor(options: SdkMapperOptions) {
    this.#options = options;
    this.#sessionId = options.sessionId;
    this.#streamId = countedIds(() => options.ids.uuid());
    this.#prompt = () => answeredPrompt(options.userMessageUuids ?? [], options.joinedUuids);
    this.#stampMessage = createPromptStamp(this.#prompt);
    this.#stampEvent = createPromptStamp(this.#prompt);
  }

  map(message: LoopMessage): SDKMessage[] {
    if (this.#replays.length === 0) return this.#mapped(message);
    const repeated = this.#replays;
    this.#replays = [];
    return [...repeated, ...this.#mapped(message)];
  }

  joined(say: (message: SDKMessage) => boolean): void {
    for (const replay of this.#joining) if (!say(replay)) this.#replays.push(replay);
    this.#joining = [];
  }

  flush(): SDKMessage[] {
    return [...this.#replays.splice(0), ...this.#flushRetracted()];
  }

  #mapped(message: LoopMessage): SDKMessage[] {
    switch (message.type) {
      case 'assistant': {
        const block = message.message.content[0];
        return block?.type === 'thinking'
          ? [...this.#thought(block.thinking), this.#assistant(message)]
          : [this.#assistant(message)];
      }
      case 'user':
        return this.#user(message);
      case 'attachment':
        this.#joining.push(...replayQueued(message, this.#sessionId, this.#options));
        return toSdkAttachment(message, this.#sessionId, this.#options);
      case 'system':
        return [system(message, this.#sessionId, this.#options.userMessageUuids?.[0])];
      case 'progress':
        if (message.data.type === AGENT_MESSAGE) return [message.data['message'] as SDKMessage];
        return [
          {
            type: 'tool_progress',
            tool_use_id: message.toolUseId,
            tool_name: message.toolName,
            parent_tool_use_id: null,
            elapsed_time_seconds: secondsSince(
              this.#toolStartedMs.get(message.toolUseId),
              this.#options.clock,
            ),
            ...(message.data.type === 'heartbeat' ? { heartbeat: true } : { data: message.data }),
            uuid: message.uuid,
            session_id: this.#sessionId,
          },
        ];
      case 'stream_events':
        if (!this.#options.includePartialMessages) return [];
        return message.events.map((event) => this.#streamEvent(event, message));
      case 'stream_request_start':
        return this.#options.includePartialMessages ? [this.#requesting()] : [];
      case 'tombstone':
        this.#retracted.push(...message.uuids);
        return [];
      case 'tool_use_summary':
        return [
          {
            type: 'tool_use_summary',
            summary: message.summary,
            preceding_tool_use_ids: message.toolUseIds,
            uuid: message.uuid,
            session_id: this.#sessionId,
          },
        ];
    }
  }

  /** What a finished block of thinking came to; nothing where the model does not show it. */
  #thought(thinking: string): SDKMessage[] {
    const delta = Math.ceil(estimateText(thinking));
    if (delta === 0) return [];
    this.#thoughtTokens += delta;
    const { user_message_uuid } = this.#prompt();
    return [
      {
        type: 'system',
        subtype: 'thinking_tokens',
        estimated_tokens: this.#thoughtTokens,
        estimated_tokens_delta: delta,
        ...(user_message_uuid !== undefined && { user_message_uuid }),
        uuid: this.#options.ids.uuid(),
        session_id: this.#sessionId,
      },
    ];
  }

  /** Retracted uuids that no message has named yet. */
  #unnamed(): readonly string[] {
    const uuids = this.#retracted.slice(this.#named);
    this.#named = this.#retracted.length;
    return uuids;
  }

  #flushRetracted(): SDKMessage[] {
    const retracted_message_uuids = this.#unnamed();
    if (retracted_message_uuids.length === 0) return [];
    return [
      {
        type: 'system',
        subtype: 'informational',
        level: 'info',
        content: 'An answer that broke off was retracted.',
        retracted_message_uuids,
        // The same wherever it is made: live, and of the journal.
        uuid: stableUuid(`${this.#sessionId}/retracted/${retracted_message_uuids[0]}`),
        session_id: this.#sessionId,
      },
    ];
  }

  #assistant(message: AssistantMessage): SDKMessage {
    for (const block of message.message.content) {
      if (block.type === 'tool_use') this.#toolStartedMs.set(block.id, this.#options.clock.monotonicMs());
    }
    const supersedes = this.#retracted;
    this.#retracted = [];
    this.#named = 0;
    const shown = extended(toSdkAssistant(message, this.#sessionId), toolUseMeta(message));
    return extended(
      shown,
      supersedes.length > 0 && { supersedes },
      message.synthetic === undefined && this.#stampMessage(),
    );
  }

  #user(message: UserMessage): SDKMessage[] {
    if (typeof message.message.content !== 'string') {
      for (const block of message.message.content) {
        if (block.type === 'tool_result') this.#toolStartedMs.delete(block.tool_use_id);
      }
    }
    const shown = toSdkUser(message, this.#sessionId);
    const retracted_message_uuids = message.kind === 'tool_result' ? [] : this.#unnamed();
    return [retracted_message_uuids.length === 0 ? shown : { ...shown, retracted_message_uuids }];
  }

  #streamEvent(event: StreamEvent, { ttftMs, thinkingDisplay }: StreamEventsMessage): SDKMessage {
    const type = 'stream_event';
    const parent_tool_use_id = null;
    const uuid = this.#streamId();
    const starts = event.type === 'message_start';
    if (starts) this.#streamed = event.message.id;
    const isShownThinking = thinkingDisplay !== undefined && (starts || isThinking(event));
    if (this.#streamed !== undefined && !starts && !isShownThinking)
      return {
        type,
        event,
        parent_tool_use_id,
        api_message_id: this.#streamed,
        uuid,
        session_id: this.#sessionId,
      };
    return {
      type,
      event,
      parent_tool_use_id,
      ...(this.#streamed !== undefined && { api_message_id: this.#streamed }),
      ...(starts && ttftMs !== undefined && { ttft_ms: ttftMs }),
      ...(isShownThinking && { thinking_display: thinkingDisplay }),
      ...(starts && this.#stampEvent()),
      uuid,
      session_id: this.#sessionId,
    };
  }

  #requesting(): SDKMessage {
    const { ids, userMessageUuids: uuids = [] } = this.#options;
    return {
      type: 'system',
      subtype: 'status',
      status: 'requesting',
      ...(uuids.length > 0 && { user_message_uuids: uuids }),
      uuid: ids.uuid(),
      session_id: this.#sessionId,
    };
  }
}

const isThinking = (event: StreamEvent): boolean =>
  event.type === 'content_block_start'
    ? event.content_block.type === 'thinking'
    : event.type === 'content_block_delta' && event.delta.type === 'thinking_delta';

function system(message: SystemMessage, session_id: string, promptUuid: string | undefined): SDKMessage {
  const { timestamp: _, ...rest } = message;
  if (rest.subtype !== 'model_refusal_fallback') return { ...rest, session_id };
  return { ...rest, refused_user_message_uuid: promptUuid ?? null, session_id };
}

function secondsSince(startMs: number | undefined, clock: Clock): number {
  return startMs === undefined ? 0 : Math.max(0, clock.monotonicMs() - startMs) / 1000;
}
