/** What asks models for their judgement in a session, each loaded by the first question. */
import type { AskJudge } from '../../hooks/run-judge.ts';
import type { PermissionPort } from '../../protocol/tools/gate-ports.ts';
import type { SubagentRoom } from '../agents/subagents.ts';
import type { QueryEngineConfig } from '../config.ts';
import { Judging } from '../judging/judging.ts';
import type { SessionRef } from '../session/session-ref.ts';

/** What judges calls in the mode `auto` is loaded by the first of them. */
export function createJudging(
  { autoMode = {} }: Pick<QueryEngineConfig, 'autoMode'>,
  ref: SessionRef,
  permissions: Pick<PermissionPort, 'mode'>,
): Judging {
  return new Judging({
    permissions,
    async make(earlier) {
      const { SessionJudge } = await import('../judging/session-judge.ts');
      return new SessionJudge(autoMode, earlier, ref.session);
    },
  });
}

/** What judges for hooks is loaded by the first of them. */
export function createAskJudge(ref: SessionRef, agents: Pick<SubagentRoom, 'runUnseen'>): AskJudge {
  return async (question) => {
    const { askJudge } = await import('../side-calls/ask-judge.ts');
    return askJudge(question, ref.session, (...agent) => agents.runUnseen(...agent));
  };
}
