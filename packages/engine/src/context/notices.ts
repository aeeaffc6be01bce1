/** Messages that report changes of the context to the consumer; the model never receives them. */

import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { CompactMetadata, SystemBody, SystemMessage, UserMessage } from '../protocol/model/messages.ts';
import type { Clock, Ids } from '../protocol/ports.ts';

export interface Stamp {
  readonly clock: Clock;
  readonly ids: Ids;
}

export function notice(stamp: Stamp, body: SystemBody): SystemMessage {
  return { type: 'system', ...stamped(stamp), ...body };
}

export function informational(stamp: Stamp, level: 'info' | 'warning', content: string): SystemMessage {
  return notice(stamp, { subtype: 'informational', content, level });
}

export function boundary(stamp: Stamp, compact_metadata: CompactMetadata): SystemMessage {
  return notice(stamp, { subtype: 'compact_boundary', compact_metadata });
}

/** A message from the engine to the model. */
export function syntheticMessage(
  stamp: Stamp,
  kind: NonNullable<UserMessage['kind']>,
  text: string,
): UserMessage {
  const message: UserMessage = {
    type: 'user',
    ...stamped(stamp),
    isSynthetic: true,
    kind,
    message: { role: 'user', content: [{ type: 'text', text }] },
  };
  return Object.freeze(message);
}

export function stamped({ clock, ids }: Stamp): { readonly uuid: string; readonly timestamp: string } {
  return { uuid: ids.uuid(), timestamp: isoTime(clock.nowMs()) };
}
