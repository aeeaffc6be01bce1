import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { Resolution, ResolvedProject } from '../resolve/resolution.ts';
import { recordTrust } from './trust-store.ts';

/**
 * Keeps a trusted project trusted after a change that the user made. `before` and `after`: the resolution
 * around the change.
 */
export async function keepTrust(
  before: ResolvedProject,
  after: Pick<Resolution, 'config' | 'project'>,
  { files, nowMs }: { readonly files: PersistentFiles; readonly nowMs: () => number },
): Promise<void> {
  const { project } = after;
  const { home: configHome } = after.config;
  if (before.trust === undefined || configHome === undefined) return;
  if (before.trust.state !== 'trusted' && before.trust.state !== 'nothing') return;
  if (project.trust === undefined || project.trust.state === 'nothing') return;
  const { root, hash, content } = project.trust;
  // The files stay those that the user agreed to: what came beside them since then is not agreed to by this.
  const agreed = before.trust.known;
  const trusted =
    agreed === undefined ? content : content && agreed.content && { ...content, files: agreed.content.files };
  await recordTrust(
    { root, hash, ...(trusted !== undefined && { content: trusted }), trustedAt: isoTime(nowMs()) },
    { configHome, files },
  );
}
