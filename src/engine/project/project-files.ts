/** The files of a project as the rooms see them that look for skills, commands, agents and styles. */
import { createPermissions } from '../../permissions/permission-engine.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';
import { confinedFiles, type LookedAtFiles } from '../../util/files/confined-files.ts';

/** No link leads out of the repository, and what a rule keeps from being read comes in by no other name. */
export function projectFiles(
  { config, homeDirectory, repositoryRoot }: Pick<Resolution, 'config' | 'homeDirectory' | 'repositoryRoot'>,
  files: PersistentFiles,
  warn: (line: string) => void,
): LookedAtFiles {
  const { cwd, permissionRules: rules } = config;
  const isDenied = createPermissions({ rules, home: homeDirectory, files }).readFilter({ cwd });
  return confinedFiles(files, {
    root: repositoryRoot,
    ...(isDenied !== undefined && { isDenied }),
    refused: (path, why) => warn(`${path} was passed over: ${why}.`),
  });
}
