import type { Parking } from '../../protocol/session/parking.ts';
import type { SDKSessionParked, Stamped } from '../../protocol/stream/session-messages.ts';

/** The last message of a run whose submission is parked: when it happens, and of its record. */
export function parkedMessage({ on, askIds, wakeAt, why }: Parking, stamp: Stamped): SDKSessionParked {
  return {
    type: 'system',
    subtype: 'session_parked',
    on,
    ask_ids: askIds,
    ...(wakeAt !== undefined && { wake_at: wakeAt }),
    ...(why !== undefined && { why }),
    ...stamp,
  };
}
