/** Limits on the number of agents: in one response, and in the session at every depth (F62). */
import type { RefusedBy } from './stats.ts';

/** Responses whose agents are counted; older ones start none. */
const REMEMBERED_MESSAGES = 1_000;

export interface QuotaLimits {
  /** Nesting depth; 0: no agents. */
  readonly maxDepth: number;
  /** Agents that one response may start. */
  readonly maxPerMessage: number;
  /** Agents of one session, at every depth. */
  readonly maxPerSession: number;
}

export interface AgentQuota {
  readonly maxDepth: number;
  /** Reserves a place, or returns why there is none. `effectKey` is the call's own. */
  take(call: { readonly effectKey: string; readonly depth: number }): Refusal | undefined;
  /** So many were started by earlier processes of the session. */
  restore(started: number): void;
}

interface Refusal {
  readonly by: RefusedBy;
  /** A sentence for the model. */
  readonly text: string;
}

export function createQuota(limits: QuotaLimits): AgentQuota {
  return new Quota(limits);
}

class Quota implements AgentQuota {
  readonly maxDepth: number;
  readonly #maxPerMessage: number;
  readonly #maxPerSession: number;
  #byMessage: Map<string, number> | undefined;
  #total = 0;

  constructor({ maxDepth, maxPerMessage, maxPerSession }: QuotaLimits) {
    this.maxDepth = maxDepth;
    this.#maxPerMessage = maxPerMessage;
    this.#maxPerSession = maxPerSession;
  }

  restore(started: number): void {
    this.#total += started;
  }

  take({ effectKey, depth }: Parameters<AgentQuota['take']>[0]): Refusal | undefined {
    if (depth >= this.maxDepth)
      return {
        by: 'depth_limit',
        text:
          this.maxDepth === 0
            ? 'No agents can be started in this session. Do the work yourself.'
            : `Agents can be nested ${this.maxDepth} deep in this session, and this one runs at that depth. Do the work yourself.`,
      };
    this.#byMessage ??= new Map();
    const byMessage = this.#byMessage;
    const message = effectKey.slice(0, effectKey.indexOf('/tool/'));
    const here = byMessage.get(message) ?? 0;
    if (here >= this.#maxPerMessage)
      return {
        by: 'concurrency_limit',
        text: `At most ${this.#maxPerMessage} agents can be started in one answer; this one was not. Start it later, or do the work yourself.`,
      };
    if (this.#total >= this.#maxPerSession)
      return {
        by: 'budget',
        text: `This session has started ${this.#total} agents, which is all it may. Do the work yourself.`,
      };
    this.#total += 1;
    byMessage.set(message, here + 1);
    const [oldest] = byMessage.keys();
    if (byMessage.size > REMEMBERED_MESSAGES && oldest !== undefined) byMessage.delete(oldest);
    return undefined;
  }
}
