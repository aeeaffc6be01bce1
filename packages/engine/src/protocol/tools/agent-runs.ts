/** Runs of a session's agents as its journal keeps them: who an agent is, and how each run ended. */
import type { EffortLevel } from '../model/wire.ts';
import type { AgentEnd, AgentLimits } from './agent.ts';

/** What stays the same from one run of an agent to the next. */
interface AgentIdentity {
  readonly agentId: string;
  /** Name of its definition. */
  readonly agentType: string;
  /** A few words, for people. */
  readonly description: string;
  /** A name by which it can be addressed. */
  readonly name?: string | undefined;
  /** Id of its model. */
  readonly model: string;
  readonly effort?: EffortLevel | undefined;
  /** Nesting depth: 1 for an agent that the main agent started. */
  readonly depth: number;
  readonly parentAgentId?: string | undefined;
  readonly limits: AgentLimits;
}

/** Recorded before the first request of a run, and at its end. */
export type AgentRunRecord =
  | (AgentIdentity & {
      readonly event: 'started';
      /** 1 for its first run. */
      readonly run: number;
      /** The call that started the run. */
      readonly toolUseId: string;
      readonly background: boolean;
    })
  | {
      readonly event: 'ended';
      readonly agentId: string;
      readonly run: number;
      readonly end: AgentEnd;
    };

/** An agent of a session, as the records of its runs tell. */
export interface KnownAgent extends AgentIdentity {
  /** How many runs have begun. */
  readonly runs: number;
  /** The call that started its last run. */
  readonly toolUseId: string;
  readonly background: boolean;
  /** How its last run ended; undefined: there is no record of an end. */
  readonly end?: AgentEnd | undefined;
}

/** `known` after this record; undefined: the record is of an agent that is not known. */
export function withAgentRun(known: KnownAgent | undefined, record: AgentRunRecord): KnownAgent | undefined {
  if (record.event === 'ended') return known && { ...known, end: record.end };
  const { event: _, run, ...agent } = record;
  return { ...agent, runs: run, end: undefined };
}

/** For the model: how this agent is reached from here on. */
export const describeAddress = (agentId: string): string =>
  `(Agent ${agentId}: SendMessage to "${agentId}" goes on with it, with all that it knows.)`;
