/** Notifies hooks of what has happened, without waiting for them. */
import type { HookPort } from '../../protocol/tools/hook.ts';
import type { ToolContext } from '../../protocol/tools/tool.ts';
import type { Scope } from '../../util/async/scope.ts';

/** Runs FileChanged hooks for a file that changed on disk, without waiting for them. */
export function tellOfFiles(
  hooks: HookPort,
  scope: Pick<Scope, 'signal'>,
): (path: string, change: 'change' | 'unlink') => void {
  return (file_path, change) =>
    void hooks.run({ event: 'FileChanged', file_path, change }, { signal: scope.signal });
}

interface Folder {
  readonly now: string;
  readonly follow?: NonNullable<ToolContext['follow']>;
}

/** The way of a shell to another folder, with the CwdChanged hooks behind it. */
export function followed(
  folder: Folder,
  { hooks, scope }: { readonly hooks: HookPort; readonly scope: Pick<Scope, 'signal'> },
): Pick<ToolContext, 'follow'> {
  if (folder.follow === undefined) return {};
  return {
    async follow(path) {
      const old_cwd = folder.now;
      const arrived = await folder.follow?.(path);
      if (arrived === undefined) return { folder: old_cwd, followed: false };
      if (arrived.folder !== old_cwd)
        void hooks.run({ event: 'CwdChanged', old_cwd, new_cwd: arrived.folder }, { signal: scope.signal });
      return arrived;
    },
  };
}
