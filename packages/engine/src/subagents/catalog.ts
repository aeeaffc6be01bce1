/**
 * The agents of a session: those of options precede files, the project's precede the user's, all precede the
 * built-in ones.
 */

import { TurnwrightError } from '../protocol/errors.ts';
import type { AgentDefinition } from '../protocol/tools/agent.ts';
import { BUILT_IN_AGENTS } from './built-in.ts';
import { readDefinition } from './read-definition.ts';

/** The first list that has a name defines it. Built-in agents come first in the listing. */
export function agentCatalog(...lists: readonly (readonly AgentDefinition[])[]): readonly AgentDefinition[] {
  const byName = new Map<string, AgentDefinition>();
  for (const list of [BUILT_IN_AGENTS, ...[...lists].reverse()])
    for (const agent of list) byName.set(agent.name, agent);
  return [...byName.values()];
}

/**
 * Agents that a caller defines. Throws `invalid_option`, naming agent and field; fields without effect cause
 * a warning.
 */
export function definedAgents(
  agents: Readonly<Record<string, unknown>>,
  warn: (line: string) => void,
): readonly AgentDefinition[] {
  return Object.entries(agents).map(([name, value]) => {
    const reading = readDefinition(name, value);
    if (!reading.ok)
      throw new TurnwrightError('invalid_option', `The agent "${name}" in "agents": ${reading.problem}.`);
    for (const warning of [...reading.warnings, ...reading.notes]) warn(`The agent "${name}": ${warning}.`);
    return { ...reading.definition, from: { source: 'flagSettings' } };
  });
}

export function findAgent(name: string, agents: readonly AgentDefinition[]): AgentDefinition | undefined {
  return (
    agents.find((agent) => agent.name === name) ??
    agents.find((agent) => agent.name.toLowerCase() === name.toLowerCase())
  );
}
