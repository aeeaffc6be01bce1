import type { Clock } from '../../protocol/ports.ts';
import type { CredentialStore } from '../oauth/credential-store.ts';
import type { ConnectPort } from './http-fetch.ts';

/** Ports of the session for connections over the network. */
export interface RemotePorts {
  readonly connect: ConnectPort;
  /** Stored logins; absent: none. */
  readonly credentials: CredentialStore | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
}
