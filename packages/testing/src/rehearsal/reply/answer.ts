/** An answer ready for delivery: a head, and frames of bytes with pauses between them. Faults edit it. */
import type { StreamEvent } from '@turnwright/engine/protocol/model/wire.ts';
import type { Timing } from '../scenario/scenario.ts';

/** What the timeline records once a frame was written. */
export type Mark =
  | {
      readonly kind: 'block_started';
      readonly index: number;
      readonly block: string;
      readonly toolUseId?: string;
    }
  | { readonly kind: 'block_stopped'; readonly index: number }
  | { readonly kind: 'fault'; readonly fault: string };

export interface AnswerFrame {
  readonly bytes: string | Buffer;
  /** The event in the frame, while it is intact. */
  readonly event?: StreamEvent;
  /** ms before it is written; 0 yields to the event loop once, so that it is sent in a packet of its own. */
  readonly pauseMs?: number;
  readonly marks?: readonly Mark[];
  /** What follows instead of the next frames. */
  readonly next?: Ending;
}

export type Ending =
  | { readonly kind: 'reset' }
  | { readonly kind: 'end' }
  | { readonly kind: 'stall'; readonly pingMs?: number };

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Nothing is sent. */
  readonly instead?: 'reset' | 'stall';
  readonly headersMs: number;
  /** Interval of ping events during pauses. */
  readonly pingMs?: number;
  readonly streamed: boolean;
  readonly frames: readonly AnswerFrame[];
}

const DEFAULT_PING_MS = 15_000;

export const PING_FRAME = 'event: ping\ndata: {"type": "ping"}\n\n';

export function eventFrame(event: StreamEvent): AnswerFrame {
  const bytes = sse(event.type, JSON.stringify(event));
  if (event.type === 'content_block_start') {
    const { content_block: block, index } = event;
    const toolUseId = block.type === 'tool_use' ? { toolUseId: block.id } : {};
    return { bytes, event, marks: [{ kind: 'block_started', index, block: block.type, ...toolUseId }] };
  }
  if (event.type === 'content_block_stop') {
    return { bytes, event, marks: [{ kind: 'block_stopped', index: event.index }] };
  }
  return { bytes, event };
}

export function sse(type: string, data: string): string {
  return `event: ${type}\ndata: ${data}\n\n`;
}

export function faultMark(fault: string): Mark {
  return { kind: 'fault', fault };
}

/** Puts a reply's pauses between its frames. */
export function pace(frames: readonly AnswerFrame[], timing: Timing): AnswerFrame[] {
  const { ttftMs = 0, gapMs = 0, blockPauseMs = 0 } = timing;
  if (ttftMs === 0 && gapMs === 0 && blockPauseMs === 0) return [...frames];
  let due = ttftMs;
  return frames.map((frame) => {
    const pauseMs = due + (frame.event?.type === 'content_block_delta' ? gapMs : 0);
    due = frame.event?.type === 'content_block_stop' ? blockPauseMs : 0;
    return pauseMs > 0 ? { ...frame, pauseMs } : frame;
  });
}

export function pingEveryMs(timing: Timing): number | undefined {
  if (timing.pings === undefined || timing.pings === false) return undefined;
  return timing.pings === true ? DEFAULT_PING_MS : timing.pings;
}
