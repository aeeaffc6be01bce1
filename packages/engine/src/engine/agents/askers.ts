/** Who started whom among the agents that run: a permission question says on whose behalf it is asked. */

import type { Scope } from '@turnwright/base/async/scope.ts';
import { oncePer } from '@turnwright/base/collections/made-once.ts';
import type { SpawnRequest } from '../../protocol/tools/agent.ts';
import type { AskingAgent } from '../../protocol/tools/permission-explanation.ts';
import type { Session } from '../session/session.ts';

interface Askers {
  /** The path to a new agent, which is known as a parent of others until the scope closes. */
  enter(request: SpawnRequest, scope: Pick<Scope, 'onClose'>): readonly AskingAgent[];
}

/** Those of a session; made for its first agent. */
export const askersOf = oncePer((_session: Session): Askers => {
  const paths = new Map<string, readonly AskingAgent[]>();
  return {
    enter({ agentId, definition, description, parentAgentId }, scope) {
      const above = parentAgentId === undefined ? [] : (paths.get(parentAgentId) ?? []);
      const path = [...above, { agentId, agentType: definition.name, description }];
      paths.set(agentId, path);
      scope.onClose(() => void paths.delete(agentId));
      return path;
    },
  };
});
