/** Lets virtual time pass beside real sockets. */
import type { SDKMessage } from '../../src/index.ts';
import type { VirtualClock } from '../../src/testing/index.ts';

/** Time passes in steps until the condition holds; between two steps the real world gets its turn. */
export async function passTimeUntil(
  clock: VirtualClock,
  holds: () => boolean,
  stepMs = 15_000,
): Promise<void> {
  while (!holds()) {
    await clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Some of an answer has been seen by the consumer, so its stream is being read. */
export function isDelta(message: SDKMessage): boolean {
  return message.type === 'stream_event' && message.event.type === 'content_block_delta';
}
