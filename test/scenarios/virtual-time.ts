/** Lets virtual time pass beside real sockets. */
import type { SDKMessage } from '@turnwright/engine';
import type { VirtualClock } from '@turnwright/testing';
import { until } from './processes.ts';

/** Behind a failed test nothing goes on for ever. */
const MAX_STEPS = 5_000;

/** Time passes in steps until the condition holds; between two steps the real world gets its turn. */
export async function passTimeUntil(
  clock: VirtualClock,
  holds: () => boolean,
  stepMs = 15_000,
): Promise<void> {
  await until(() => holds() || clock.pending > 0);
  for (let step = 0; step < MAX_STEPS && !holds(); step += 1) {
    await clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Some of an answer has been seen by the consumer, so its stream is being read. */
export function isDelta(message: SDKMessage): boolean {
  return message.type === 'stream_event' && message.event.type === 'content_block_delta';
}
