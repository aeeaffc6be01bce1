/** Opens the session of a conversation again, for what a session has from its beginning. */
import { getSessionInfo } from '@turnwright/engine';
import type { ConversationCommandContext, ReopenTarget } from '../command-context.ts';

/** The conversation goes on where it is; before its first prompt there is nothing to resume. */
export async function reopenHere(
  { env, reopen, state }: Pick<ConversationCommandContext, 'env' | 'reopen' | 'state'>,
  more: Pick<ReopenTarget, 'settings'> = {},
): Promise<void> {
  const { id } = state.session;
  const isRecorded = id !== '' && (await getSessionInfo(id, { env })) !== undefined;
  await reopen({ ...(isRecorded && { resume: id }), ...more, isQuiet: true });
}
