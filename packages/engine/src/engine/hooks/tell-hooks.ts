/** Notifies hooks of what has happened, without waiting for them. */

import type { Scope } from '@turnwright/base/async/scope.ts';
import type { HookPort } from '../../protocol/tools/hook.ts';
import type { ToolContext } from '../../protocol/tools/tool.ts';
import type { CallFolder, WorkingFolder } from '../tools/working-folder.ts';

/** Runs FileChanged hooks for a file that changed on disk, without waiting for them. */
export function tellOfFiles(
  hooks: HookPort,
  scope: Pick<Scope, 'signal'>,
): (path: string, change: 'change' | 'unlink') => void {
  return (file_path, change) =>
    void hooks.run({ event: 'FileChanged', file_path, change }, { signal: scope.signal });
}

/** The way of a shell to another folder, with the CwdChanged hooks behind it. */
export function followed(
  folder: CallFolder | WorkingFolder,
  { hooks, scope }: { readonly hooks: HookPort; readonly scope: Pick<Scope, 'signal'> },
): Pick<ToolContext, 'follow'> {
  if (!('follow' in folder)) return {};
  return {
    async follow(path) {
      const { left: old_cwd, ...arrived } = await folder.follow(path);
      if (arrived.folder !== old_cwd)
        void hooks.run({ event: 'CwdChanged', old_cwd, new_cwd: arrived.folder }, { signal: scope.signal });
      return arrived;
    },
  };
}
