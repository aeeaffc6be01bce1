/** Allow rules of the running submission, recorded so that another process can continue it (L4.1). */

import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { Ids } from '../../protocol/ports.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { PermissionDenial } from '../../protocol/tools/permission.ts';
import type { Conversation } from '../session/conversation.ts';
import type { Submissions } from '../session/submissions.ts';

export function lentRecord(rules: readonly string[], submission: string, id: string): JournalBody {
  return { type: 'lent', id: `${submission}/lent/${id}`, submission, rules };
}

interface RecordPorts {
  readonly world: { readonly ids: Ids };
  readonly conversation: Pick<Conversation, 'recorder'>;
  readonly submissions: Submissions;
}

/** Records the rules of a skill, then allows them until the returned function is called. */
export async function lendOnRecord(
  rules: readonly string[],
  permissions: Pick<Permissions, 'lend'>,
  { conversation, submissions, world }: RecordPorts,
): Promise<() => void> {
  const { running } = submissions;
  if (running !== undefined)
    await conversation.recorder.append([lentRecord(rules, running, world.ids.uuid())]);
  return permissions.lend(rules);
}

/** Rules of previous processes. A rule that can no longer be parsed is ignored. */
export function lendAgain(
  rules: readonly string[],
  permissions: Pick<Permissions, 'lend'>,
  warn: ((line: string) => void) | undefined,
): () => void {
  const undo = rules.flatMap((rule) => {
    try {
      return [permissions.lend([rule])];
    } catch (error) {
      warn?.(`The rule ${rule} is not carried on: ${errorText(error)}`);
      return [];
    }
  });
  return () => {
    for (const each of undo) each();
  };
}

/** An agent's denial counts for the submission that runs. */
export function noteAgentDenial(
  denial: PermissionDenial,
  { conversation, submissions, world }: RecordPorts,
): void {
  submissions.denied(denial);
  const { running: submission } = submissions;
  if (submission === undefined) return;
  // Nothing waits for it: it permits nothing, and the agent's end is recorded behind it.
  const id = `${submission}/denied/${world.ids.uuid()}`;
  conversation.recorder.later([{ type: 'denied', id, submission, denial }]);
}
