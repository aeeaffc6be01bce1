import type { Recovered } from './session-journal.ts';
import type { EngineParts } from './session-parts.ts';

/** Opens the journal on first use and takes over what an earlier life of the session left (L9: the totals go on). */
export async function openSession(parts: EngineParts): Promise<Recovered | undefined> {
  const { journal, memory, ledger, appState, queue, toolState } = parts;
  const recovered = await journal.open();
  if (memory.opened) return recovered;
  memory.opened = true;
  memory.answered = recovered?.answered;
  await parts.structured?.prepare();
  if (recovered?.totals !== undefined) ledger.restore(recovered.totals);
  takeCount(recovered?.counted, parts);
  memory.title = recovered?.title ?? memory.title;
  memory.taskRemaining = recovered?.taskRemaining;
  const todos = recovered?.todos ?? [];
  if (todos.length > 0) appState.set((state) => ({ ...state, todos }));
  if (recovered?.tasks !== undefined) await parts.tasks.restore(recovered.tasks);
  toolState.restore(recovered ?? {});
  // What has left the view already is forgotten when the next request is prepared.
  parts.snipMarks.mark(recovered?.snipped ?? []);
  await queue.follow(recovered?.consumed);
  return recovered;
}

/** Another model would count otherwise. */
function takeCount(counted: Recovered['counted'], { context, journal, memory, model }: EngineParts): void {
  if (counted === undefined || counted.model !== model.resolve(memory.modelName)) return;
  context.counted?.(journal.view.messages.first(counted.length), counted.tokens);
}
