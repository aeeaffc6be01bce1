/** Facts of a session that its sandbox needs, current at each command. */
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { SandboxPort } from '../../protocol/tools/isolation.ts';
import type { QueryEngineConfig } from '../config.ts';
import { foldersThatRun } from './protected-folders.ts';

export interface SandboxSurroundings {
  readonly permissions: () => Permissions;
  /** Paths of the session's own files that the model may have to read. */
  readonly readable: () => readonly string[];
}

/** undefined: commands are not isolated. */
export function sandboxFor(
  config: QueryEngineConfig,
  { permissions, readable }: SandboxSurroundings,
): SandboxPort | undefined {
  const { sandbox, cwd, stderr } = config;
  return sandbox?.open({
    cwd,
    additionalDirectories: () =>
      permissions()
        .directories()
        .map(({ path }) => path),
    pathPatterns: (source) => permissions().pathPatterns(source, { cwd }),
    domains: (behavior) => permissions().webDomains(behavior),
    readableDirectories: readable,
    protectedPaths: () => foldersThatRun(config),
    stderr,
  });
}
