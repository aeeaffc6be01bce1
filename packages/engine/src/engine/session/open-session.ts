import { TurnwrightError } from '../../protocol/errors.ts';
import type { ResumedSession } from '../../session/resume/resume.ts';
import type { Session } from './session.ts';
import { applyAgain } from './session-permissions.ts';

/**
 * Opens the journal on first use and restores what earlier processes recorded of the session (L9: the totals
 * continue). undefined: the session is not resumed.
 */
export async function openSession(session: Session): Promise<ResumedSession | undefined> {
  const { conversation } = session;
  const recovered = await conversation.journal.open();
  refuseWithoutAgent(recovered, session);
  if (conversation.isOpen) return recovered;
  conversation.opened(recovered);
  await session.structured?.prepare();
  if (recovered !== undefined) await restore(recovered, session);
  await session.queue.follow(recovered?.consumed);
  return recovered;
}

/**
 * A session whose main thread is an agent never goes on without it: that would give it tools which the agent
 * does not have.
 */
function refuseWithoutAgent(
  recovered: Pick<ResumedSession, 'mainAgent'> | undefined,
  { config, conversation }: Session,
): void {
  const agent = recovered?.mainAgent;
  if (agent === undefined || config.mainAgent !== undefined) return;
  throw new TurnwrightError(
    'invalid_option',
    `The session ${conversation.sessionId} is one of the agent "${agent}", and would go on without its limits. Name the agent (agent, --agent), or another one.`,
  );
}

async function restore(recovered: ResumedSession, session: Session): Promise<void> {
  const { todos, counted } = recovered;
  session.budget.restore(recovered);
  // Another model would count otherwise.
  if (counted !== undefined && counted.model === session.model.current)
    session.context.port.counted?.(recovered.view.messages.first(counted.length), counted.tokens);
  if (todos.length > 0) session.appState.set((state) => ({ ...state, todos }));
  await session.tasks.restore(recovered.tasks);
  session.agents.restore(recovered.agents);
  session.verification.goal = recovered.goal;
  session.judging.restore(recovered.judged);
  session.tools.state.restore(recovered);
  await session.tools.restoreResults?.();
  // Where runs may park, the session goes on in another process as it would have in this one.
  if (session.parking !== undefined) applyAgain(recovered, session);
  // Marks of calls that are no longer in the view are dropped when the next request is prepared.
  session.context.snipMarks.mark(recovered.snipped);
}
