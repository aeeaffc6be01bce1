/** Credentials of the model that a user stores outside of any session. */

import { foldersOfRepository } from '@turnwright/base/files/folders.ts';
import { homeDirectory } from '@turnwright/base/files/home-path.ts';
import { isReallyInside } from '@turnwright/base/files/inside.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import { deleteLogin, type Login, writeLogin } from '../../settings/login/stored-logins.ts';
import { configHome } from '../../settings/read/config-home.ts';
import { createSettingsWriter } from '../../settings/write/write-settings.ts';

export type { Login };

export interface KeptLoginsInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  readonly files: PersistentFiles;
}

export interface ModelToKeep {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

export async function keepLogin(baseUrl: string, login: Login, input: KeptLoginsInput): Promise<string> {
  const home = requireHome(input);
  const { files, env, cwd } = input;
  const root = (await foldersOfRepository(cwd, files))?.at(-1);
  await files.makeDir(home, 0o700);
  // A home folder under version control is no project.
  if (root !== undefined && root !== homeDirectory(env) && (await isReallyInside(home, root, files)))
    throw new TurnwrightError(
      'invalid_option',
      `Credentials are not stored inside a project, and ${home} lies in ${root}. Set TURNWRIGHT_HOME to another folder.`,
    );
  return writeLogin(baseUrl, login, { configHome: home, files });
}

export function forgetLogin(baseUrl: string | 'all', input: KeptLoginsInput): Promise<readonly string[]> {
  return deleteLogin(baseUrl, { configHome: requireHome(input), files: input.files });
}

export function keepApiKeyHelper(
  command: string,
  { cwd, files, ...input }: KeptLoginsInput,
): Promise<string> {
  const home = requireHome({ cwd, ...input });
  const writer = createSettingsWriter({ configHome: home, projectRoot: cwd, files });
  return writer.change('user', 'apiKeyHelper', () => command);
}

/** Returns the file. */
export async function keepModelChoice(
  choice: ModelToKeep,
  { cwd, files, ...input }: KeptLoginsInput,
): Promise<string> {
  const home = requireHome({ cwd, ...input });
  const writer = createSettingsWriter({ configHome: home, projectRoot: cwd, files });
  let file = '';
  for (const key of ['provider', 'model'] as const) {
    const value = choice[key];
    if (value !== undefined) file = await writer.change('user', key, () => value);
  }
  return file;
}

function requireHome({ env, cwd }: Pick<KeptLoginsInput, 'env' | 'cwd'>): string {
  const home = configHome(env, cwd);
  if (home !== undefined) return home;
  throw new TurnwrightError(
    'invalid_option',
    'There is no home to keep credentials in. Set TURNWRIGHT_HOME or HOME.',
  );
}
