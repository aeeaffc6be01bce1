/** Which agent a message is for, and whether it can go on. Loaded by the first message. */
import type { AgentDefinition } from '../protocol/tools/agent.ts';
import type { KnownAgent } from '../protocol/tools/agent-runs.ts';
import type { ToolContext } from '../protocol/tools/tool.ts';
import type { AgentRoster } from './agent-roster.ts';
import { findAgent } from './catalog.ts';

/** Agents that are named when there is none of the given name. */
const MOST_NAMED = 10;

interface AddressBook {
  readonly roster: AgentRoster;
  /** Available agents. */
  readonly agents: readonly AgentDefinition[];
}

type Addressed =
  | { readonly ok: true; readonly known: KnownAgent; readonly definition: AgentDefinition }
  | { readonly ok: false; readonly message: string };

/** An agent may go on with those that it started, the main conversation with any. */
export function findAddressed(
  to: string,
  { agentId: caller }: Pick<ToolContext, 'agentId'>,
  { roster, agents }: AddressBook,
): Addressed {
  const isOwn = (known: KnownAgent) => caller === undefined || known.parentAgentId === caller;
  const refuse = (message: string) => ({ ok: false as const, message });
  const known = roster.find(to.trim());
  if (known === undefined || !isOwn(known)) {
    const others = roster.list().filter(isOwn).slice(-MOST_NAMED);
    const named = others.map(({ agentId, name, description }) => `${name ?? agentId} (${description})`);
    const there = named.length === 0 ? 'None has been started.' : `There are: ${named.join(', ')}.`;
    return refuse(`There is no agent "${to}" to send a message to. ${there}`);
  }
  const { agentId, agentType } = known;
  if (roster.endOf(known) === undefined)
    return refuse(
      `The agent ${agentId} is still at work and takes no message now. You will be told when it is done; send it then, or stop it first (TaskStop).`,
    );
  const definition = findAgent(agentType, agents);
  if (definition === undefined)
    return refuse(
      `The agent ${agentId} was one of "${agentType}", which this session does not have any more, and would go on without its limits. Start another one.`,
    );
  return { ok: true, known, definition };
}
