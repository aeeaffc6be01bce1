/** What the sandbox of a session is told of the session, as of each command. */
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { SandboxPort } from '../../protocol/sandbox.ts';
import type { QueryEngineConfig } from '../config.ts';

export interface SandboxSurroundings {
  readonly permissions: () => Permissions;
  /** Of the session's own files, what the model is told to read. */
  readonly readable: () => readonly string[];
}

/** undefined: commands are not isolated. */
export function sandboxFor(
  { sandbox, cwd, plugins, stderr }: QueryEngineConfig,
  { permissions, readable }: SandboxSurroundings,
): SandboxPort | undefined {
  return sandbox?.open({
    cwd,
    additionalDirectories: () =>
      permissions()
        .directories()
        .map(({ path }) => path),
    pathPatterns: (source) => permissions().pathPatterns(source, { cwd }),
    domains: (behavior) => permissions().webDomains(behavior),
    readableDirectories: readable,
    protectedPaths: () => (plugins?.plugins ?? []).map(({ root }) => root),
    stderr,
  });
}
