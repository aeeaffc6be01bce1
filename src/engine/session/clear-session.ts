/** `/clear`: ends the conversation and begins another one, in a new session with the same settings. */
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { SDKConversationReset } from '../../protocol/stream/session-messages.ts';
import type { SessionBudget } from '../budget/session-budget.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { McpRoom } from '../mcp/mcp-room.ts';
import type { SessionModel } from '../models/session-model.ts';
import { recordResult } from '../output/record-result.ts';
import { resultWithoutQuery } from '../output/result.ts';
import type { ResultFacts } from '../output/result-fields.ts';
import type { Submission } from '../submission/submission.ts';
import type { Session } from './session.ts';

/** What a session takes over from the one that was cleared: connections, costs, and how its model thinks. */
export interface Inherited {
  readonly mcp: McpRoom;
  readonly budget: SessionBudget;
  readonly thinking: SessionModel['thinking'];
  readonly results: number;
}

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

/**
 * A new conversation with the same tools, rules and hooks, and the model and permission mode that were set
 * last. Connections and costs are taken over.
 */
export function handOver<Engine>(
  sessionId: string,
  { config, conversation, budget, model, permissions, mcp, submissions }: Session,
  open: (config: QueryEngineConfig, inherited: Inherited) => Engine,
): Engine {
  const next = open(
    {
      ...config,
      sessionId,
      resume: undefined,
      forkSession: undefined,
      resumeSessionAt: undefined,
      resumeDropsTurn: undefined,
      title: undefined,
      initialMessages: undefined,
      orphanedPermission: undefined,
      readFileCache: undefined,
      model: model.name,
      permissionMode: permissions.mode,
    },
    { mcp, budget, thinking: model.thinking, results: submissions.results },
  );
  conversation.handOver();
  return next;
}
