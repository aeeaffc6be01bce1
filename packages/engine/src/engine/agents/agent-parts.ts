/** What an agent is run with, and who makes it. */

import type { Scope } from '@turnwright/base/async/scope.ts';
import type { SpawnRequest } from '../../protocol/tools/agent.ts';
import type { AgentSkills } from '../project/session-skills.ts';
import type { ConversationPorts } from '../session/session.ts';
import type { AgentJournal } from './agent-journal.ts';
import type { AgentSurroundings } from './agent-resources.ts';
import type { ToolsAtDepth } from './subagents.ts';

export interface AgentParts extends AgentJournal, Pick<AgentSurroundings, 'notes' | 'problems'> {
  readonly ports: ConversationPorts;
  readonly skills: AgentSkills;
}

/** Makes an agent's share of the session. */
export type ComposeAgent = (
  request: SpawnRequest,
  model: string,
  scope: Scope,
  offered: ToolsAtDepth,
) => Promise<AgentParts>;
