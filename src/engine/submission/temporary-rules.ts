/** What holds for the running submission, and is on record so that another process can carry it on (L4.1). */
import type { JournalBody } from '../../protocol/journal.ts';
import type { PermissionDenial } from '../../protocol/permission.ts';
import type { EngineParts } from '../session/session-parts.ts';

export function lentRecord(rules: readonly string[], submission: string, id: string): JournalBody {
  return { type: 'lent', id: `${submission}/lent/${id}`, submission, rules };
}

/** Allows the rules of a skill until the returned function is called; on record first. */
export async function lendOnRecord(
  rules: readonly string[],
  { ids, journal, memory, permissions }: Pick<EngineParts, 'ids' | 'journal' | 'memory' | 'permissions'>,
): Promise<() => void> {
  if (memory.submission !== undefined)
    await journal.recorder.append([lentRecord(rules, memory.submission, ids.uuid())]);
  return permissions.lend(rules);
}

/** What an earlier life allowed. A rule that cannot be read any more allows nothing. */
export function lendAgain(
  rules: readonly string[],
  { config, permissions }: Pick<EngineParts, 'config' | 'permissions'>,
): () => void {
  const undo = rules.flatMap((rule) => {
    try {
      return [permissions.lend([rule])];
    } catch (error) {
      config.stderr?.(
        `The rule ${rule} is not carried on: ${error instanceof Error ? error.message : String(error)}`,
      );
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
  { ids, journal, memory }: Pick<EngineParts, 'ids' | 'journal' | 'memory'>,
): void {
  memory.denials.push(denial);
  const { submission } = memory;
  if (submission === undefined) return;
  // Nothing waits for it: it permits nothing, and the agent's end is recorded behind it.
  const id = `${submission}/denied/${ids.uuid()}`;
  journal.recorder.later([{ type: 'denied', id, submission, denial }]);
}
