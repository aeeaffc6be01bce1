/** What the host allowed for the session, recorded where runs may park: another process goes on with it. */

import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { Ids } from '../../protocol/ports.ts';
import type { PermissionUpdate } from '../../protocol/tools/permission.ts';
import type { ResumedSession } from '../../session/resume/resume.ts';
import type { Conversation } from './conversation.ts';
import type { Submissions } from './submissions.ts';

interface RecordPorts {
  readonly world: { readonly ids: Ids };
  readonly conversation: Pick<Conversation, 'recorder'>;
  readonly submissions: Pick<Submissions, 'running'>;
}

/** What the host allowed for the rest of the session. */
export function recordUpdates(
  updates: readonly PermissionUpdate[],
  { conversation, submissions, world }: RecordPorts,
): void {
  const { running: submission } = submissions;
  if (submission === undefined) return;
  // Written before whatever it permits: the records of the call follow it.
  const id = `${submission}/session-permissions/${world.ids.uuid()}`;
  conversation.recorder.later([{ type: 'session-permissions', id, submission, updates }]);
}

interface CarriedOn {
  readonly permissions: Pick<Permissions, 'apply'>;
  readonly config: { readonly stderr?: ((line: string) => void) | undefined };
}

/** What this process refuses is left out. The mode of an interrupted submission is restored with it. */
export function applyAgain(
  { permissionUpdates, interrupted }: Pick<ResumedSession, 'permissionUpdates' | 'interrupted'>,
  { permissions, config }: CarriedOn,
): void {
  // A damaged record holds something else than a list of updates.
  for (const { submission, updates } of permissionUpdates)
    for (const update of [updates].flat())
      try {
        if (update?.type === 'setMode' && submission === interrupted?.id) continue;
        permissions.apply([update]);
      } catch (error) {
        config.stderr?.(`A permission that was given for the session is not carried on: ${errorText(error)}`);
      }
}
