/** Counts of a session's agents by outcome, in the shape of results. */

import type { SubagentStats } from '../protocol/stream/result-message.ts';
import type { AgentOutcome } from '../protocol/tools/agent.ts';

export type Requested = keyof SubagentStats['requested'];
export type RefusedBy = keyof SubagentStats['refused'];
export type KilledBy = keyof SubagentStats['killed'];

export interface StatsKeeper {
  refused(requested: Requested, by: RefusedBy): void;
  /** `depth`: 1 for an agent of the main conversation. */
  started(requested: Requested, agent: { name: string; depth: number; background: boolean }): void;
  ended(how: 'completed' | 'failed' | KilledBy): void;
  /** The current counts. */
  counts(): SubagentStats;
}

/** `by`: who ended it, if it was stopped. */
export function toEnding({ end }: AgentOutcome, by: KilledBy): 'completed' | 'failed' | KilledBy {
  return end === 'completed' ? 'completed' : end === 'aborted' ? by : 'failed';
}

export function createStats(): StatsKeeper {
  return new Counts();
}

class Counts implements StatsKeeper {
  #requested = { background: 0, foreground: 0, unset: 0 };
  #refused = { depth_limit: 0, concurrency_limit: 0, budget: 0 };
  #killed = { parent: 0, user: 0, system: 0 };
  #byType: Record<string, number> = {};
  #spawned = 0;
  #inBackground = 0;
  #byAgents = 0;
  #maxDepth = 0;
  #completed = 0;
  #failed = 0;

  refused(requested: Requested, by: RefusedBy): void {
    this.#requested[requested] += 1;
    this.#refused[by] += 1;
  }

  started(requested: Requested, { name, depth, background }: Parameters<StatsKeeper['started']>[1]): void {
    this.#requested[requested] += 1;
    this.#spawned += 1;
    this.#byType[name] = (this.#byType[name] ?? 0) + 1;
    this.#maxDepth = Math.max(this.#maxDepth, depth);
    if (background) this.#inBackground += 1;
    if (depth > 1) this.#byAgents += 1;
  }

  ended(how: Parameters<StatsKeeper['ended']>[0]): void {
    if (how === 'completed') this.#completed += 1;
    else if (how === 'failed') this.#failed += 1;
    else this.#killed[how] += 1;
  }

  counts(): SubagentStats {
    return {
      spawned: this.#spawned,
      requested: { ...this.#requested },
      started_in_background: this.#inBackground,
      max_depth: this.#maxDepth,
      spawned_by_subagents: this.#byAgents,
      completed: this.#completed,
      failed: this.#failed,
      killed: { ...this.#killed },
      refused: { ...this.#refused },
      by_type: { ...this.#byType },
    };
  }
}
