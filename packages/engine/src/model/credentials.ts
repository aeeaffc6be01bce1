/** The key or token of requests, and its renewal: one at a time, however many requests were refused. */

import type { Writable } from '@turnwright/base/collections/writable.ts';
import type { Credential } from '../protocol/model/provider-wire.ts';
import type { Clock } from '../protocol/ports.ts';

/** Returns a new credential; undefined if there is none. */
type CredentialProvider = (why: 'expired' | 'revoked') => Promise<Credential | undefined>;

export interface Credentials {
  readonly current: Credential;
  readonly canRefresh: boolean;
  /** Renews a credential that is too old; undefined: there is nothing to wait for. Never rejects. */
  beforeCall(): Promise<unknown> | undefined;
  /** Renews the credential in `refused`. False if there is no new one. Never throws. */
  refresh(why: 'expired' | 'revoked', refused: Credential): Promise<boolean>;
}

interface CredentialLife {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Age from which a credential is renewed before it is used. Default never. */
  readonly ttlMs?: number | undefined;
}

export function createCredentials(
  initial: Credential,
  provider: CredentialProvider | undefined,
  { clock, ttlMs = Number.POSITIVE_INFINITY }: CredentialLife,
): Credentials {
  let renewing: Promise<boolean> | undefined;
  let sinceMs = clock.monotonicMs();

  async function renew(why: 'expired' | 'revoked'): Promise<boolean> {
    try {
      const fresh = await provider?.(why);
      if (fresh === undefined) return false;
      credentials.current = fresh;
      sinceMs = clock.monotonicMs();
      return true;
    } catch {
      return false;
    } finally {
      renewing = undefined;
    }
  }

  const credentials: Writable<Credentials> = {
    current: initial,
    canRefresh: provider !== undefined,
    beforeCall() {
      if (provider === undefined || clock.monotonicMs() - sinceMs < ttlMs) return undefined;
      renewing ??= renew('expired');
      return renewing;
    },
    refresh(why, refused) {
      // Another request has renewed it in the meantime.
      if (refused !== credentials.current) return Promise.resolve(true);
      renewing ??= renew(why);
      return renewing;
    },
  };
  return credentials;
}
