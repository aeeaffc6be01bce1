/** Logout: the tokens are revoked where supported (RFC 7009), and deleted in any case. */
import type { ConnectPort } from '@turnwright/base/http/connections.ts';
import { createHttpFetch } from '../connect/http-fetch.ts';
import type { CredentialStore } from './credential-store.ts';
import { safeFetch } from './safe-fetch.ts';

interface LogOutOptions {
  readonly serverUrl: string;
  readonly store: CredentialStore;
  readonly connect: ConnectPort;
  readonly signal: AbortSignal;
}

/** false: there was no login. */
export async function logOut({ serverUrl, store, connect, signal }: LogOutOptions): Promise<boolean> {
  const known = await store.read(serverUrl);
  const was = await store.remove(serverUrl);
  const { revocation_endpoint: endpoint } = { ...known?.metadata } as { revocation_endpoint?: unknown };
  const token = known?.tokens?.refresh_token ?? known?.tokens?.access_token;
  if (known === undefined || typeof endpoint !== 'string' || token === undefined) return was;
  const http = createHttpFetch(connect);
  const { client_id, client_secret } = known.client;
  const form = new URLSearchParams({ token, client_id, ...(client_secret && { client_secret }) });
  try {
    const response = await safeFetch(http.fetch, signal)(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
    await response.body?.cancel();
  } catch {
    // Deleting is guaranteed, revoking is not.
  } finally {
    http.close();
  }
  return was;
}
