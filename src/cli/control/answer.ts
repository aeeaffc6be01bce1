/** How a control request of the host is answered. */
import type { Query } from '../../index.ts';
import type { HostChannel } from './host-channel.ts';
import type { Fields } from './wire.ts';

export interface Answering {
  readonly query: Query;
  readonly channel: HostChannel;
  /** Where relative paths count from when the session begins. */
  readonly cwd: string;
  /** The request that set the session up; a later `initialize` changes nothing. */
  readonly initialize: Fields | undefined;
}

/** Resolves with the payload; with none where there is nothing to say but that it was done. */
export type Answer = (fields: Fields, session: Answering) => Promise<Fields | undefined>;
