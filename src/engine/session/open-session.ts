import type { Recovered } from '../storage/session-journal.ts';
import type { Session } from './session.ts';

/** Opens the journal on first use and takes over what an earlier process left of the session (L9: the totals go on). */
export async function openSession(session: Session): Promise<Recovered | undefined> {
  const { recovered, first } = await session.conversation.open();
  if (!first) return recovered;
  await session.structured?.prepare();
  session.budget.restore(recovered ?? {});
  takeCount(recovered?.counted, session);
  const todos = recovered?.todos ?? [];
  if (todos.length > 0) session.appState.set((state) => ({ ...state, todos }));
  if (recovered?.tasks !== undefined) await session.tasks.restore(recovered.tasks);
  session.tools.state.restore(recovered ?? {});
  // What has left the view already is forgotten when the next request is prepared.
  session.context.snipMarks.mark(recovered?.snipped ?? []);
  await session.queue.follow(recovered?.consumed);
  return recovered;
}

/** Another model would count otherwise. */
function takeCount(
  counted: Recovered['counted'],
  { context, conversation, model }: Pick<Session, 'context' | 'conversation' | 'model'>,
): void {
  if (counted === undefined || counted.model !== model.current) return;
  context.port.counted?.(conversation.messages.first(counted.length), counted.tokens);
}
