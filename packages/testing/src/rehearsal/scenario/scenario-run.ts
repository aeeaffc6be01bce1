/** One scenario in one session: which replies are left, and which one a request gets. */

import { listFaults } from '../faults/fault.ts';
import type { RehearsalRequest, RequestKind } from './rehearsal-request.ts';
import type { Condition, Reply, Scenario, ScenarioFunction, ScriptedReply } from './scenario.ts';
import { wholeReply } from './scripted-block.ts';

export interface Taken {
  readonly reply: Reply;
  /** Name of the reply in reports. */
  readonly label: string;
}

export interface ScenarioRun {
  /** Number of the next request of this kind, from 1. */
  nextCall(kind: RequestKind): number;
  take(request: RehearsalRequest): Promise<Taken | undefined> | Taken | undefined;
  /** Names of replies that were never used. */
  unused(): string[];
  readonly name: string;
  readonly vars: Readonly<Record<string, string>>;
}

export function runScenario(scenario: Scenario | ScenarioFunction): ScenarioRun {
  const calls: Record<RequestKind, number> = { main: 0, compaction: 0, helper: 0 };
  const nextCall = (kind: RequestKind) => {
    calls[kind] += 1;
    return calls[kind];
  };
  if (typeof scenario === 'function') {
    const name = scenario.name === '' ? 'scenario function' : scenario.name;
    const take = async (request: RehearsalRequest): Promise<Taken | undefined> => {
      const given = await scenario(request);
      const label = `${name}, call ${request.call}`;
      return given === undefined ? undefined : { reply: wholeReply(given, label), label };
    };
    return { name, nextCall, vars: {}, unused: () => [], take };
  }
  const slots = scenario.replies.map((scripted, at) => ({
    scripted: wholeReply(scripted, formatLabel(scripted, at)),
    label: formatLabel(scripted, at),
    given: 0,
    struck: 0,
  }));
  return {
    name: scenario.source === undefined ? scenario.name : `${scenario.name} (${scenario.source})`,
    nextCall,
    vars: scenario.vars ?? {},
    unused: () => slots.filter((slot) => slot.given === 0 && slot.struck === 0).map((slot) => slot.label),
    take(request) {
      for (const slot of slots) {
        const { scripted, label } = slot;
        const left = scripted.times === 'any' || slot.given < (scripted.times ?? 1);
        if (!left || !holds(scripted.when ?? {}, request)) continue;
        // Faults with `times` affect that many deliveries first; the reply itself is not used up.
        const passing = listFaults(scripted).filter(
          (fault) => fault.times !== undefined && fault.times > slot.struck,
        );
        if (passing.length > 0) {
          slot.struck += 1;
          return { reply: { ...scripted, faults: passing }, label };
        }
        slot.given += 1;
        slot.struck = 0;
        return {
          reply: { ...scripted, faults: listFaults(scripted).filter((fault) => fault.times === undefined) },
          label,
        };
      }
      return undefined;
    },
  };
}

function formatLabel(scripted: ScriptedReply, at: number): string {
  return scripted.source === undefined ? `reply ${at + 1}` : `reply ${at + 1} (${scripted.source})`;
}

function holds(when: Condition, request: RehearsalRequest): boolean {
  const kind = when.kind ?? 'main';
  if (kind !== 'any' && kind !== request.kind) return false;
  if (when.call !== undefined && when.call !== request.call) return false;
  if (when.model !== undefined && when.model !== request.model) return false;
  if (when.toolsOffered !== undefined && !when.toolsOffered.every((tool) => request.tools.includes(tool)))
    return false;
  return when.lastMessage === undefined || new RegExp(when.lastMessage).test(request.lastMessage);
}
