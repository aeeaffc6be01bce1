/** How a control request of the host is answered. */
import type { Query } from '@turnwright/engine';
import type { ControlChannel } from './control-channel.ts';
import type { WireFields } from './json-lines.ts';

export interface Answering {
  readonly query: Query;
  readonly channel: ControlChannel;
  /** Base of relative paths at the start of the session. */
  readonly cwd: string;
  /** The request that set the session up; a later `initialize` has no effect. */
  readonly initialize: WireFields | undefined;
}

/** Resolves with the payload, or without one. */
export type RequestHandler = (fields: WireFields, session: Answering) => Promise<WireFields | undefined>;
