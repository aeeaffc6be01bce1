/** `/clear`: ends the conversation and begins another one, in a new session with the same settings. */
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { SDKConversationReset } from '../../protocol/stream/session-messages.ts';
import { recordResult } from '../output/record-result.ts';
import { resultWithoutQuery } from '../output/result.ts';
import type { ResultFacts } from '../output/result-fields.ts';
import type { Submission } from '../submission/submission.ts';
import type { Session } from './session.ts';

/** The messages of the command, and its result. */
interface Clearing {
  readonly messages: readonly SDKMessage[];
  readonly text: string;
  readonly command: string | undefined;
  readonly facts: ResultFacts;
}

/**
 * From here on the session takes no more prompts. The returned messages belong to the conversation that
 * begins, whose cost begins at 0.
 */
export async function clearSession(
  { messages, text, command, facts }: Clearing,
  submission: Submission,
  session: Session,
): Promise<readonly SDKMessage[]> {
  const reset = conversationReset(session);
  const session_id = reset.new_conversation_id;
  const fresh = { sessionId: session_id, totalCostUsd: 0, modelUsage: {}, usageSinceLastResult: {} };
  const result = resultWithoutQuery(text, { ...facts, ...fresh }, command);
  const recorded = await recordResult(result, submission, session);
  session.budget.ledger.startConversation();
  return [reset, ...messages.map((message) => ({ ...message, session_id })), ...recorded];
}

function conversationReset({
  conversation,
  host,
  submissions,
}: Pick<Session, 'conversation' | 'host' | 'submissions'>): SDKConversationReset {
  const { uuid: successor } = host.stamp();
  conversation.clear(successor);
  const { promptId } = submissions;
  return {
    type: 'conversation_reset',
    new_conversation_id: successor,
    trigger: 'clear',
    ...(promptId !== undefined && { user_message_uuid: promptId }),
    ...host.timedStamp(),
    session_id: host.sessionId,
  };
}
