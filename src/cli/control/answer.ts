/** How a control request of the host is answered. */
import type { Query } from '../../index.ts';
import type { HostChannel } from './host-channel.ts';
import type { Fields } from './wire.ts';

export interface Answering {
  readonly query: Query;
  readonly channel: HostChannel;
  /** Base of relative paths at the start of the session. */
  readonly cwd: string;
  /** The request that set the session up; a later `initialize` has no effect. */
  readonly initialize: Fields | undefined;
}

/** Resolves with the payload, or without one. */
export type Answer = (fields: Fields, session: Answering) => Promise<Fields | undefined>;
