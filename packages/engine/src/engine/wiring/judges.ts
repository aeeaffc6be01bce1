import type { AskJudge } from '../../hooks/run-judge.ts';
import type { SubagentRoom } from '../agents/subagents.ts';
import type { SessionRef } from '../session/session-ref.ts';

/** What judges for hooks is loaded by the first of them. */
export function createAskJudge(ref: SessionRef, agents: Pick<SubagentRoom, 'runUnseen'>): AskJudge {
  return async (question) => {
    const { askJudge } = await import('../side-calls/ask-judge.ts');
    return askJudge(question, ref.session, (...agent) => agents.runUnseen(...agent));
  };
}
