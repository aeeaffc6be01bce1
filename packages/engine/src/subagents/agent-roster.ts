/** The agents of a session that can be addressed: those that run, and those that have ended or were lost. */
import type { AgentEnd } from '../protocol/tools/agent.ts';
import { type AgentRunRecord, type KnownAgent, withAgentRun } from '../protocol/tools/agent-runs.ts';

export class AgentRoster {
  readonly #known = new Map<string, KnownAgent>();
  readonly #running = new Set<string>();

  /** By its id, else the last one of this name. */
  find(to: string): KnownAgent | undefined {
    return this.#known.get(to) ?? [...this.#known.values()].findLast(({ name }) => name === to);
  }

  /** In the order in which they began. */
  list(): readonly KnownAgent[] {
    return [...this.#known.values()];
  }

  /** How its last run ended; undefined: it runs in this process. */
  endOf({ agentId, end = 'lost' }: KnownAgent): AgentEnd | undefined {
    return this.#running.has(agentId) ? undefined : end;
  }

  /** One run of an agent at a time: from here until `left` it runs. */
  enter(agentId: string): void {
    this.#running.add(agentId);
  }

  left(agentId: string): void {
    this.#running.delete(agentId);
  }

  apply(record: AgentRunRecord): void {
    const agent = withAgentRun(this.#known.get(record.agentId), record);
    if (agent !== undefined) this.#known.set(record.agentId, agent);
  }

  /** Those of earlier processes. */
  restore(agents: readonly KnownAgent[]): void {
    for (const agent of agents) this.#known.set(agent.agentId, agent);
  }
}
