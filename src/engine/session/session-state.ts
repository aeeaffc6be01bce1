import { createCapWarnings } from '../budget/limit-warnings.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { Inherited } from '../wiring/engine.ts';
import type { SessionMemory } from './session-parts.ts';

/** What a session remembers between submissions, as it begins. */
export function freshMemory(config: QueryEngineConfig, inherited: Inherited | undefined): SessionMemory {
  return {
    modelName: config.model,
    thinking: inherited?.thinking,
    thinkingDisplay: undefined,
    effort: undefined,
    fastMode: config.fastMode,
    adopted: undefined,
    opened: false,
    answered: undefined,
    submissions: 0,
    submission: undefined,
    results: inherited?.results ?? 0,
    lastResult: undefined,
    safetyStops: 0,
    started: false,
    endIdle: undefined,
    promptId: undefined,
    title: inherited === undefined ? config.title : undefined,
    orphanHandled: false,
    unaffordable: undefined,
    capWarnings: inherited?.capWarnings ?? createCapWarnings(),
    denials: [],
    request: undefined,
    taskRemaining: undefined,
    contexts: undefined,
    measured: undefined,
    commandsTold: undefined,
    successor: undefined,
    handedOver: false,
    begun: inherited === undefined ? 'startup' : 'clear',
    snapshot: undefined,
  };
}
