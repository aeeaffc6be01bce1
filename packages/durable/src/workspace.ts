/** The folder that a session works in, on whatever machine it runs. */
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { SessionRow } from './postgres/runs.ts';

/**
 * Where sessions work. `shared`: a folder that every machine has under the same path; each session gets a
 * folder of its own below it. A function makes the session's folder on this machine, or finds it. `affinity`:
 * a folder below `folder` on the machine that ran the session first, for which the session then waits.
 */
export type Workspace =
  | { readonly shared: string }
  | { readonly affinity: 'host'; readonly folder: string }
  | ((session: SessionRow) => string | Promise<string>);

/** The session's folder, which exists. undefined: that of the options. */
export async function prepareFolder(
  workspace: Workspace | undefined,
  session: SessionRow,
): Promise<string | undefined> {
  if (workspace === undefined) return session.cwd ?? undefined;
  if (typeof workspace === 'function') return workspace(session);
  const folder = join('shared' in workspace ? workspace.shared : workspace.folder, session.sessionId);
  await nodeFiles.makeDir(folder, 0o700);
  return folder;
}

/** Whether sessions stay on the machine where they began. */
export const staysOnHost = (workspace: Workspace | undefined): boolean =>
  typeof workspace === 'object' && 'affinity' in workspace;
