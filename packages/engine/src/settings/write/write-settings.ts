/** Atomic changes to settings files, which keep all other content of the file. */

import { basename, dirname, join } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { SettingSource } from '../../options/option-values.ts';
import { invalidSettings } from '../read/parse-settings.ts';
import { usableSettings } from '../read/usable-settings.ts';
import { changeJsonFile } from './change-json.ts';

interface SettingsFiles {
  readonly configHome: string | undefined;
  /** Where project and local settings are. */
  readonly projectRoot: string;
  readonly files: PersistentFiles;
}

export interface SettingsWriter {
  /**
   * Reads one key of the file, has it changed, and writes it. Resolves with the file's name. Throws
   * `invalid_settings` when the file cannot be read as settings, before or after the change; it is then left
   * alone.
   */
  change(source: SettingSource, key: string, edit: (before: unknown) => unknown): Promise<string>;
  /** The file that `change` writes; it need not exist. Throws `invalid_settings` without a home. */
  fileOf(source: SettingSource): Promise<string>;
}

const NAMES = { project: 'settings.json', local: 'settings.local.json' } as const;
/** Modes of new files: the shared file may be read by others, the other files only by the user. */
const FILE_MODES: Readonly<Record<SettingSource, number>> = { user: 0o600, project: 0o644, local: 0o600 };

export function createSettingsWriter(places: SettingsFiles): SettingsWriter {
  const { files } = places;
  let last: Promise<unknown> = Promise.resolve();

  const change = async (source: SettingSource, key: string, edit: (before: unknown) => unknown) => {
    const file = await pickFile(source, places);
    if (source !== 'user') await refuseStrayLinks(file, places);
    const folderMode = source === 'user' ? 0o700 : undefined;
    let isChanged = false;
    await changeJsonFile({ file, files, mode: FILE_MODES[source], folderMode }, async (held) => {
      const before = usableSettings(held, file);
      const value = edit(held[key]);
      isChanged = JSON.stringify(value) !== JSON.stringify(held[key]);
      if (!isChanged) return undefined;
      const after = usableSettings({ ...held, [key]: value }, file);
      const unread = (entries: readonly string[]) => entries.map((entry) => entry.replace(/\.\d+/, ''));
      const [was, is] = [unread(before.skipped), unread(after.skipped)];
      // Neither may it add what cannot be read, nor take away what a person wrote there.
      const wrong =
        is.find((entry) => !was.includes(entry)) ??
        (key === 'permissions' ? was.find((entry) => !is.includes(entry)) : undefined);
      if (wrong !== undefined) throw invalidSettings(file, wrong);
      return { key, value };
    });
    if (source === 'local' && isChanged) await keepOutOfGit(dirname(file), files);
    return file;
  };

  return {
    fileOf: (source) => pickFile(source, places),
    change(source, key, edit) {
      const mine = last.then(() => change(source, key, edit));
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}

/**
 * The existing file of a source; of several the strongest one; without any, the one in the folder that
 * exists.
 */
async function pickFile(
  source: SettingSource,
  { configHome, projectRoot, files }: SettingsFiles,
): Promise<string> {
  if (source === 'user') {
    if (configHome === undefined)
      throw invalidSettings(
        'the user settings',
        'there is no home to keep them in. Set TURNWRIGHT_HOME or HOME.',
      );
    return join(configHome, 'settings.json');
  }
  const [ours, theirs] = ['.turnwright', '.claude'].map((folder) => join(projectRoot, folder, NAMES[source]));
  for (const file of [ours, theirs])
    if (file !== undefined && (await files.lstat(file)) !== undefined) return file;
  const hasTheirs = (await files.stat(join(projectRoot, '.claude')))?.kind === 'directory';
  return (hasTheirs ? theirs : ours) ?? join(projectRoot, '.turnwright', NAMES[source]);
}

/** Local settings are not for the repository: our own folder says so itself. */
async function keepOutOfGit(folder: string, files: PersistentFiles): Promise<void> {
  const file = join(folder, '.gitignore');
  if (basename(folder) !== '.turnwright' || (await files.lstat(file)) !== undefined) return;
  await files.writeAtomic(file, `${NAMES.local}\n.gitignore\n`, { mode: FILE_MODES.project });
}

/** A repository can contain links: writing through one would change a file outside the project. */
export async function refuseStrayLinks(
  file: string,
  { projectRoot, files }: Pick<SettingsFiles, 'projectRoot' | 'files'>,
): Promise<void> {
  for (const path of [file, dirname(file)]) {
    if ((await files.lstat(path))?.kind !== 'symlink') continue;
    throw invalidSettings(
      file,
      `${path} is a link, and settings of ${projectRoot} are not written through one.`,
    );
  }
}
