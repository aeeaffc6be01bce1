import type { Clock } from '../../protocol/ports.ts';
import type { CredentialStore } from '../oauth/credential-store.ts';
import type { ConnectPort } from './http-fetch.ts';

/** What a connection over the network needs of the session. */
export interface RemotePorts {
  readonly connect: ConnectPort;
  /** Of logins. Absent: there are none. */
  readonly credentials: CredentialStore | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
}
