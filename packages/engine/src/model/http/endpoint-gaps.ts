/**
 * What an endpoint does not know of the Messages API, learned from its refusals and left out for a while
 * (F60). A refusal alone teaches nothing: the request must be answered without what it names. What is learned
 * holds for one credential, so that no customer of a process changes the requests of another.
 */

import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { Credential, GapTrial } from '../../protocol/model/provider-wire.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { SentRequest } from './refused-fields.ts';

export interface EndpointGaps {
  /** A field of the body, a header or a beta. */
  lacks(name: string): boolean;
}

export interface GapsOfEndpoint {
  of(credential: Credential, trial?: GapTrial): EndpointGaps;
  /** What else to leave out after this refusal; undefined: it names nothing that could be. */
  suspect(
    failure: ModelFailure,
    sent: SentRequest,
    credential: Credential,
    trial?: GapTrial,
  ): Promise<GapTrial | undefined>;
}

/** An endpoint may learn: a gateway is updated while a process lives. */
const KEPT_MS = 60 * 60_000;

/** By clock, because the times are those of one clock; then by endpoint and credential. */
const shared = new WeakMap<Clock, Map<string, Known>>();

interface Known {
  readonly names: readonly string[];
  readonly untilMs: number;
}

/** `endpoint`: its address, and whatever else tells callers apart. Shared by clients with this clock. */
export function trackGaps(endpoint: string, clock: Clock): GapsOfEndpoint {
  const keyOf = ({ apiKey, authToken }: Credential) => JSON.stringify([endpoint, apiKey, authToken]);
  const known = (credential: Credential): readonly string[] => {
    const all = shared.get(clock);
    if (all === undefined || all.size === 0) return NONE;
    const entry = all.get(keyOf(credential));
    return entry !== undefined && entry.untilMs > clock.monotonicMs() ? entry.names : NONE;
  };
  return {
    of(credential, trial) {
      const names = known(credential);
      if (trial === undefined && names.length === 0) return KNOWS_ALL;
      return gapsNamed([...names, ...(trial?.names ?? [])]);
    },
    async suspect({ kind, status, message, outputSchema }, sent, credential, trial) {
      const { refuses } = sent;
      const isRefusal =
        refuses !== undefined || (kind === 'invalid_request' && (status === 400 || status === 422));
      // What was asked for would be missing: the caller has other means.
      if (!isRefusal || outputSchema === true) return undefined;
      // Where the code is gone, the refusal stays what it is.
      const reading = await import('./refused-fields.ts').catch(() => undefined);
      const before = trial?.names ?? [];
      const named = refuses === undefined ? reading?.refusedFields(message, sent) : [refuses];
      const news = (named ?? []).filter((name) => !before.includes(name));
      if (news.length === 0) return undefined;
      const names = [...before, ...news];
      return {
        names,
        confirm() {
          const now = clock.monotonicMs();
          const all = shared.get(clock) ?? new Map<string, Known>();
          shared.set(clock, all);
          for (const [old, entry] of all) if (entry.untilMs <= now) all.delete(old);
          const key = keyOf(credential);
          const { names: earlier = NONE, untilMs = now + KEPT_MS } = all.get(key) ?? {};
          all.set(key, { names: [...new Set([...earlier, ...names])], untilMs });
          return `The endpoint does not know ${names.join(', ')}, so requests to it are made without: ${message}`;
        },
      };
    },
  };
}

const NONE: readonly string[] = [];
const KNOWS_ALL: EndpointGaps = { lacks: () => false };

const gapsNamed = (names: readonly string[]): EndpointGaps => ({
  lacks: (name) => names.includes(name),
});
