/** The session that follows one that was cleared. */
import type { SessionBudget } from '../budget/session-budget.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { McpRoom } from '../mcp/mcp-room.ts';
import type { SessionModel } from '../models/session-model.ts';
import type { Session } from './session.ts';

/** What a session takes over from the one that was cleared: connections, costs, and how its model thinks. */
export interface Inherited {
  readonly mcp: McpRoom;
  readonly budget: SessionBudget;
  readonly thinking: SessionModel['thinking'];
  readonly results: number;
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
