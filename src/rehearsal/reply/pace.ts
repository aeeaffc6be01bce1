import type { Timing } from '../scenario/scenario.ts';
import type { Frame } from './answer.ts';

const DEFAULT_PING_MS = 15_000;

/** Puts a reply's pauses between its frames. */
export function pace(frames: readonly Frame[], timing: Timing): Frame[] {
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
