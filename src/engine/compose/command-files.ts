/** Command files of the project and the user, as the settings sources allow. */
import { join, resolve } from 'node:path';
import { commandFiles } from '../../commands/command-files.ts';
import type { CommandSource } from '../../protocol/command.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { ResolvedConfig } from '../../settings/resolved-config.ts';

const PROJECT_FOLDERS = ['.turnwright', '.claude'] as const;

/**
 * A project's commands come before the user's, so that a project can word one of them anew; one that is not trusted
 * comes behind and may not.
 */
export function commandFileSources(
  resolved: Pick<ResolvedConfig, 'cwd' | 'configHome' | 'settingSources' | 'projectTrusted'>,
  projectConfigRoot: string | undefined,
  files: PersistentFiles,
  warn: (line: string) => void,
): readonly CommandSource[] {
  const { settingSources, configHome, projectTrusted } = resolved;
  const root = resolve(resolved.cwd, projectConfigRoot ?? '.');
  const common = { files, warn };
  const project = settingSources.includes('project')
    ? [
        commandFiles({
          ...common,
          name: 'project commands',
          folders: PROJECT_FOLDERS.map((folder) => join(root, folder, 'commands')),
          origin: 'project',
          trusted: projectTrusted,
        }),
      ]
    : [];
  const user =
    settingSources.includes('user') && configHome !== undefined
      ? [
          commandFiles({
            ...common,
            name: 'user commands',
            folders: [join(configHome, 'commands')],
            origin: 'user',
            trusted: true,
          }),
        ]
      : [];
  return projectTrusted ? [...project, ...user] : [...user, ...project];
}
