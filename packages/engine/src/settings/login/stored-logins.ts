/**
 * Keys and tokens that the user stored with `turnwright login`: one file in the user's own configuration
 * home, which only its owner may read. Each belongs to one address: a key is never sent anywhere else,
 * wherever the environment or the settings point.
 */

import { join } from 'node:path';
import { readJsonObject } from '@turnwright/base/bounded-json.ts';
import { resolveLinks } from '@turnwright/base/files/real-path.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { withoutTrailingSlashes } from '@turnwright/base/text/cut-text.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { TurnwrightError } from '../../protocol/errors.ts';

/** Either a key of the API, or a token that is sent as `Authorization: Bearer`. */
export type Login =
  | { readonly apiKey: string; readonly authToken?: undefined }
  | { readonly authToken: string; readonly apiKey?: undefined };

export interface LoginFiles {
  readonly configHome: string;
  readonly files: Pick<PersistentFiles, 'readPlain' | 'realpath'>;
}

type WritableLoginFiles = LoginFiles & { readonly files: PersistentFiles };

const FILE = 'logins.json';
/** More is not a file that was written here. */
const MAX_BYTES = 1024 * 1024;

/** What was stored for this address; undefined: nothing. Throws `invalid_settings`. */
export async function loginFor(
  baseUrl: string,
  { warn, ...place }: LoginFiles & { readonly warn: (warning: string) => void },
): Promise<Login | undefined> {
  const { logins, file, isOpenToOthers } = await readLogins(place);
  if (isOpenToOthers) warn(`${file} holds keys, and others may read it. Run: chmod 600 ${file}`);
  return logins.get(normaliseAddress(baseUrl));
}

/** Stores it in the place of an earlier one for this address. Resolves with the name of the file. */
export async function writeLogin(baseUrl: string, login: Login, place: WritableLoginFiles): Promise<string> {
  const { files, configHome } = place;
  await files.makeDir(configHome, 0o700);
  const { logins } = await readLogins(place);
  return write(new Map([...logins, [normaliseAddress(baseUrl), login]]), place);
}

/** Removes what is stored for this address, or everything. Resolves with the addresses it was stored for. */
export async function deleteLogin(
  baseUrl: string | 'all',
  place: WritableLoginFiles,
): Promise<readonly string[]> {
  const { logins } = await readLogins(place);
  const gone = [...logins.keys()].filter(
    (address) => baseUrl === 'all' || address === normaliseAddress(baseUrl),
  );
  if (gone.length === 0) return [];
  await write(new Map([...logins].filter(([address]) => !gone.includes(address))), place);
  return gone;
}

/** Two spellings of one address are one. */
function normaliseAddress(baseUrl: string): string {
  return withoutTrailingSlashes(new URL(baseUrl).href);
}

interface StoredLogins {
  readonly file: string;
  readonly logins: ReadonlyMap<string, Login>;
  readonly isOpenToOthers: boolean;
}

async function readLogins(place: LoginFiles): Promise<StoredLogins> {
  const file = await resolveFile(place);
  const found = await place.files.readPlain(file, MAX_BYTES).catch((cause: unknown) => {
    throw unusable(file, isLink(cause) ? IS_A_LINK : `it cannot be read: ${errorText(cause)}`, cause);
  });
  if (found?.stat.kind === 'symlink') throw unusable(file, IS_A_LINK);
  // A socket blocks the path while commands of another session run in a sandbox.
  if (found === undefined || found.stat.kind !== 'file')
    return { file, logins: new Map(), isOpenToOthers: false };
  const logins = loginsIn(new TextDecoder().decode(found.bytes));
  if (logins === undefined)
    throw unusable(file, 'it holds no list of logins. Remove it, and log in again: turnwright login.');
  const isOpenToOthers = process.platform !== 'win32' && (found.stat.mode & 0o077) !== 0;
  return { file, logins, isOpenToOthers };
}

const IS_A_LINK =
  'it is a link, and credentials are not read or written through one. Remove it, and log in again: turnwright login.';

function isLink(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EMOVED';
}

/** The home itself may be a link, the file may not: it could lead to a file of others. */
async function resolveFile({ configHome, files }: LoginFiles): Promise<string> {
  return join(await resolveLinks(files, configHome), FILE);
}

function loginsIn(text: string): ReadonlyMap<string, Login> | undefined {
  const stored = readJsonObject(text)?.['logins'];
  if (!isRecord(stored)) return undefined;
  return new Map(
    Object.entries(stored).flatMap(([address, entry]): [string, Login][] => {
      const { apiKey, authToken } = isRecord(entry) ? entry : {};
      if (typeof apiKey === 'string') return [[address, { apiKey }]];
      return typeof authToken === 'string' ? [[address, { authToken }]] : [];
    }),
  );
}

async function write(logins: ReadonlyMap<string, Login>, place: WritableLoginFiles): Promise<string> {
  const { files } = place;
  const file = await resolveFile(place);
  const text = `${JSON.stringify({ version: 1, logins: Object.fromEntries(logins) }, null, 2)}\n`;
  try {
    if (logins.size === 0) await files.remove(file, { plain: true });
    else await files.writeAtomic(file, text, { mode: 0o600, plain: true });
  } catch (cause) {
    if (isLink(cause)) throw unusable(file, IS_A_LINK, cause);
    throw new TurnwrightError('storage_error', `${file} cannot be written: ${errorText(cause)}`, { cause });
  }
  return file;
}

function unusable(file: string, problem: string, cause?: unknown): TurnwrightError {
  return new TurnwrightError('invalid_settings', `${file} cannot be used: ${problem}`, { cause });
}
