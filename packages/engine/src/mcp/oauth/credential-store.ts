/** Stored logins: one file per server in the user's home, readable by the user only. */
import { join } from 'node:path';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';

/** Answer of a registration or an authorization server, stored unchanged. */
type Answered = { readonly [field: string]: unknown };
type ClientInformation = Answered & { client_id: string; client_secret?: string | undefined };
type Tokens = Answered & {
  access_token: string;
  token_type: string;
  refresh_token?: string | undefined;
  expires_in?: number | undefined;
  scope?: string | undefined;
};

export interface StoredCredentials {
  readonly serverUrl: string;
  readonly authorizationServer: string;
  readonly metadata?: Answered | undefined;
  /** Resource of the tokens (RFC 8707), as the server spells it. */
  readonly resource?: string | undefined;
  readonly client: ClientInformation;
  /** Registered redirect URL of the client. */
  readonly redirectUrl?: string | undefined;
  /** Absent: they were revoked, and a new login is needed. */
  readonly tokens?: Tokens | undefined;
  /** Scopes that a request lacked, separated by blanks: the next login requests them. */
  readonly wantedScope?: string | undefined;
  /** ms since 1970. Absent if unknown. */
  readonly expiresAtMs?: number | undefined;
}

export interface CredentialStore {
  /** undefined for a missing or unreadable file. */
  read(serverUrl: string): Promise<StoredCredentials | undefined>;
  write(credentials: StoredCredentials): Promise<void>;
  /** false: there was none. */
  remove(serverUrl: string): Promise<boolean>;
}

const FOLDER = 'mcp-credentials';

export function createCredentialStore(
  configHome: string,
  files: Pick<PersistentFiles, 'readFile' | 'makeDir' | 'writeAtomic' | 'remove'>,
): CredentialStore {
  const folder = join(configHome, FOLDER);
  // The URL may contain secrets, so the file name is a hash.
  const fileOf = (serverUrl: string) => join(folder, `${sha256(new URL(serverUrl).href).slice(0, 32)}.json`);
  const read: CredentialStore['read'] = async (serverUrl) => {
    try {
      const value: unknown = JSON.parse(new TextDecoder().decode(await files.readFile(fileOf(serverUrl))));
      return isCredentials(value) && new URL(value.serverUrl).href === new URL(serverUrl).href
        ? value
        : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    read,
    async write(credentials) {
      await files.makeDir(folder, 0o700);
      const text = `${JSON.stringify({ version: 1, ...credentials }, null, 2)}\n`;
      await files.writeAtomic(fileOf(credentials.serverUrl), text, { mode: 0o600 });
    },
    async remove(serverUrl) {
      const known = await read(serverUrl);
      await files.remove(fileOf(serverUrl));
      return known !== undefined;
    },
  };
}

function isCredentials(value: unknown): value is StoredCredentials {
  return (
    isRecord(value) &&
    typeof value['serverUrl'] === 'string' &&
    typeof value['authorizationServer'] === 'string' &&
    isRecord(value['client']) &&
    (value['tokens'] === undefined ||
      (isRecord(value['tokens']) && typeof value['tokens']['access_token'] === 'string'))
  );
}
