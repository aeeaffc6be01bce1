/** Converts a reply to stream events in batches, with pauses between them. */
import type {
  AssistantBlock,
  BlockDelta,
  StreamEvent,
  Usage,
} from '@turnwright/engine/protocol/model/wire.ts';
import { EMPTY_USAGE } from '@turnwright/engine/protocol/model/wire.ts';
import type { Part, Reply } from './reply.ts';

type Played =
  | { readonly kind: 'batch'; readonly events: readonly StreamEvent[] }
  | { readonly kind: 'pause'; readonly until: Promise<unknown> };

interface Playing {
  readonly reply: Reply;
  readonly model: string;
  readonly messageId: string;
  nextToolUseId(): string;
  /** false: the stream stops after the last part, without `message_delta` and `message_stop`. */
  readonly complete: boolean;
  /** false: one JSON answer, so one batch. */
  readonly stream: boolean;
}

export function buildUsage(reply: Reply): Usage {
  return { ...EMPTY_USAGE, input_tokens: 10, output_tokens: 5, ...reply.options.usage };
}

export function playReply(playing: Playing): Played[] {
  const { reply } = playing;
  const usage = buildUsage(reply);
  const played: Played[] = [];
  let events: StreamEvent[] = [
    {
      type: 'message_start',
      message: {
        id: playing.messageId,
        type: 'message',
        role: 'assistant',
        model: reply.options.model ?? playing.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: Math.min(1, usage.output_tokens) },
      },
    },
  ];
  const flush = () => {
    const size = playing.stream ? (reply.options.eventsPerBatch ?? events.length) : events.length;
    for (let i = 0; i < events.length; i += size)
      played.push({ kind: 'batch', events: events.slice(i, i + size) });
    events = [];
  };

  let index = 0;
  for (const part of reply.parts) {
    if (part.kind === 'pause') {
      if (playing.stream) flush();
      played.push({ kind: 'pause', until: part.until });
      continue;
    }
    events.push(...blockEvents(part, index++, playing));
  }
  if (playing.complete) {
    const stopReason = reply.options.stopReason;
    events.push(
      {
        type: 'message_delta',
        delta: {
          stop_reason: stopReason === undefined ? defaultStopReason(reply.parts) : stopReason,
          stop_sequence: reply.options.stopSequence ?? null,
        },
        usage: { ...usage },
        ...(reply.options.contextManagement !== undefined && {
          context_management: reply.options.contextManagement,
        }),
      },
      { type: 'message_stop' },
    );
  }
  flush();
  return played;
}

function defaultStopReason(parts: readonly Part[]): string {
  return parts.some((part) => part.kind === 'block' && part.block.type === 'tool_use')
    ? 'tool_use'
    : 'end_turn';
}

function blockEvents(part: Exclude<Part, { kind: 'pause' }>, index: number, playing: Playing): StreamEvent[] {
  const { start, deltas } = opened(part, playing);
  const events: StreamEvent[] = [{ type: 'content_block_start', index, content_block: start }];
  for (const delta of deltas) events.push({ type: 'content_block_delta', index, delta });
  if (part.kind === 'block') events.push({ type: 'content_block_stop', index });
  return events;
}

function opened(
  part: Exclude<Part, { kind: 'pause' }>,
  playing: Playing,
): { readonly start: AssistantBlock; readonly deltas: readonly BlockDelta[] } {
  const { block } = part;
  const chunk = (text: string) => chunks(text, playing.reply.options.chunkChars);
  switch (block.type) {
    case 'text':
      return {
        start: { ...block, text: '' },
        deltas: chunk(block.text).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [
          ...chunk(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }) as const),
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'tool_use': {
      const raw =
        part.kind === 'block' && part.rawInput !== undefined ? part.rawInput : JSON.stringify(block.input);
      return {
        start: { ...block, id: block.id || playing.nextToolUseId(), input: {} },
        deltas: chunk(raw).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      };
    }
    default:
      return { start: block, deltas: [] };
  }
}

function chunks(text: string, size: number = text.length): string[] {
  const pieces: string[] = [];
  for (let i = 0; i < text.length; i += size) pieces.push(text.slice(i, i + size));
  return pieces;
}
