/** Command files of the project and the user, as the settings sources allow. */
import { join } from 'node:path';
import { type CommandFilesOptions, commandFiles } from '../../commands/command-files.ts';
import type { CommandSource } from '../../protocol/tools/command.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';

const PROJECT_FOLDERS = ['.turnwright', '.claude'] as const;

interface CommandFileSources {
  /** Before the commands of skills and plugins. */
  readonly first: readonly CommandSource[];
  /** Behind all others. */
  readonly last: readonly CommandSource[];
}

/**
 * A project's commands come before the user's, so that a project can word one of them anew; those of one that
 * is not trusted come last of all and may not.
 */
export function commandFileSources(
  { settingSources, home, projectRoot, projectTrusted }: Resolution['config'],
  common: Pick<CommandFilesOptions, 'files' | 'warn' | 'unread'>,
): CommandFileSources {
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
    settingSources.includes('user') && home !== undefined
      ? [
          commandFiles({
            ...common,
            name: 'user commands',
            folders: [join(home, 'commands')],
            origin: 'user',
            trusted: true,
          }),
        ]
      : [];
  return projectTrusted ? { first: [...project, ...user], last: [] } : { first: user, last: project };
}
