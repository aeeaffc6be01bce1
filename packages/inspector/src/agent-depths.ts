import type { InspectedAgent } from '@turnwright/engine';

/** How many agents are above each, by id. */
export function countDepths(agents: readonly InspectedAgent[]): ReadonlyMap<string, number> {
  const depth = new Map<string, number>();
  for (const { id, parent } of agents) depth.set(id, parent === undefined ? 0 : (depth.get(parent) ?? 0) + 1);
  return depth;
}
