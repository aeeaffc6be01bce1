/** Command files of the project and the user, as the settings sources allow. */
import { join } from 'node:path';
import { type CommandFilesOptions, commandFiles } from '../../commands/command-files.ts';
import type { CommandSource } from '../../protocol/tools/command.ts';
import type { ResolvedConfig } from '../../settings/resolve/resolved-config.ts';

const PROJECT_FOLDERS = ['.turnwright', '.claude'] as const;

interface CommandFileSources {
  /** Before the commands of skills and plugins. */
  readonly first: readonly CommandSource[];
  /** Behind all others. */
  readonly last: readonly CommandSource[];
}

/**
 * A project's commands come before the user's, so that a project can word one of them anew; those of one that is not
 * trusted come last of all and may not.
 */
export function commandFileSources(
  resolved: Pick<ResolvedConfig, 'projectRoot' | 'configHome' | 'settingSources' | 'projectTrusted'>,
  common: Pick<CommandFilesOptions, 'files' | 'warn'>,
): CommandFileSources {
  const { settingSources, configHome, projectRoot, projectTrusted } = resolved;
  const project = settingSources.includes('project')
    ? [
        commandFiles({
          ...common,
          name: 'project commands',
          folders: PROJECT_FOLDERS.map((folder) => join(projectRoot, folder, 'commands')),
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
  return projectTrusted ? { first: [...project, ...user], last: [] } : { first: user, last: project };
}
