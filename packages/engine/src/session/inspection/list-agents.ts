/** The tree of agents of a session, with what each cost. */
import type { InspectedAgent, InspectedIteration } from '../../protocol/session/inspection.ts';
import type { JournalRows } from './iteration-rows.ts';

/** What is known of an agent besides its journal. */
export interface AgentFacts {
  readonly id: string;
  readonly type?: string | undefined;
  readonly description?: string | undefined;
  readonly parent?: string | undefined;
  readonly toolUseId?: string | undefined;
}

interface Journals {
  readonly main: JournalRows;
  readonly agents: readonly { readonly facts: AgentFacts; readonly rows: JournalRows }[];
}

/** What is not an agent's is the main thread's. */
export function listAgents(
  { agents, main }: Journals,
  iterations: readonly InspectedIteration[],
  totalUsd: number,
  sentence: string,
): readonly InspectedAgent[] {
  const known = new Set(agents.map(({ facts }) => facts.id));
  const own = agents.map(({ facts, rows }): InspectedAgent => {
    const its = iterations.filter(({ agent }) => agent === facts.id);
    const parent = facts.parent !== undefined && known.has(facts.parent) ? facts.parent : '';
    return {
      id: facts.id,
      type: facts.type ?? rows.agentType ?? 'agent',
      description: facts.description ?? rows.submissions[0]?.prompt.slice(0, 120) ?? '',
      parent: parent === facts.id ? '' : parent,
      ...(facts.toolUseId !== undefined && { toolUseId: facts.toolUseId }),
      iterations: its.length,
      costUsd: rows.spentUsd,
      treeCostUsd: 0,
      start: rows.first - main.first,
      end: rows.last - main.first,
      sentence: its.at(-1)?.sentence ?? '',
    };
  });
  const agentsUsd = own.reduce((sum, { costUsd }) => sum + costUsd, 0);
  const root: InspectedAgent = {
    id: '',
    type: 'main',
    description: '',
    iterations: iterations.filter(({ agent }) => agent === '').length,
    costUsd: Math.max(0, rounded(totalUsd - agentsUsd)),
    treeCostUsd: 0,
    start: 0,
    end: Math.max(0, main.last - main.first),
    sentence,
  };
  const all = [root, ...own];
  const ordered: InspectedAgent[] = [];
  const visit = (agent: InspectedAgent): number => {
    const place = ordered.push(agent) - 1;
    const below = own
      .filter((each) => each.parent === agent.id && !ordered.includes(each))
      .reduce((sum, child) => sum + visit(child), 0);
    const treeCostUsd = rounded(agent.costUsd + below);
    ordered[place] = { ...agent, treeCostUsd };
    return treeCostUsd;
  };
  visit(root);
  // Agents that name each other as parents.
  for (const agent of all) if (!ordered.some(({ id }) => id === agent.id)) visit(agent);
  return ordered;
}

const rounded = (usd: number): number => Math.round(usd * 1e12) / 1e12;
