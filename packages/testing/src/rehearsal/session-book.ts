/** The sessions of a server: the scenario of each one, and its progress. */
import type { ApiRequest } from './request/api-request.ts';
import type { RequestKind } from './scenario/rehearsal-request.ts';
import { firstUserText } from './scenario/rehearsal-request.ts';
import type { Scenario, ScenarioFunction } from './scenario/scenario.ts';
import { runScenario, type ScenarioRun, type Taken } from './scenario/scenario-run.ts';
import { wholeScenario } from './scenario/scripted-block.ts';
import { readApiKey } from './scenario/session-key.ts';

/** All given fields must match. */
export interface ScenarioMatch {
  readonly apiKey?: string;
  /** A request header, by lower-case name; without `value`, any value matches. */
  readonly header?: { readonly name: string; readonly value?: string | RegExp };
  /** Contained in the text of the session's first user message. */
  readonly firstUserMessage?: string | RegExp;
}

/** A scenario for the sessions that match. */
export interface ScenarioChoice {
  readonly match: ScenarioMatch;
  readonly scenario: Scenario | ScenarioFunction;
}

export interface RehearsedSession {
  readonly key: string;
  /** In the order of appearance, from 1. */
  readonly ordinal: number;
  /** undefined: no scenario matches it. */
  readonly run: ScenarioRun | undefined;
  /** A request has offered tools. */
  offersTools: boolean;
  /** Requests that passed the judge. */
  requests: number;
  /** The reply that a random fault affected, so that a repeated request gets the same. */
  struck:
    | { readonly asked: string; readonly taken: Taken; readonly kind: RequestKind; readonly call: number }
    | undefined;
}

export interface SessionBook {
  open(
    key: string,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    request: ApiRequest,
  ): RehearsedSession;
  setScenario(scenario: Scenario | ScenarioFunction): void;
  unused(): UnusedReply[];
  clear(): void;
}

export interface UnusedReply {
  /** undefined: the scenario was not played in any session. */
  readonly session: string | undefined;
  readonly scenario: string;
  readonly reply: string;
}

export function createSessionBook(
  fallback: Scenario | ScenarioFunction | undefined,
  choices: readonly ScenarioChoice[],
): SessionBook {
  let chosen = fallback;
  // Invalid scenarios are refused here, not when they are played.
  for (const scenario of [fallback, ...choices.map((choice) => choice.scenario)])
    if (scenario !== undefined) wholeScenario(scenario);
  const sessions = new Map<string, RehearsedSession>();
  const played = new Set<Scenario | ScenarioFunction>();

  const choose = (headers: Readonly<Record<string, string | string[] | undefined>>, request: ApiRequest) =>
    choices.find((choice) => matches(choice.match, headers, request))?.scenario ?? chosen;

  return {
    open(key, headers, request) {
      const known = sessions.get(key);
      if (known !== undefined) return known;
      const scenario = choose(headers, request);
      if (scenario !== undefined) played.add(scenario);
      const session: RehearsedSession = {
        key,
        ordinal: sessions.size + 1,
        run: scenario === undefined ? undefined : runScenario(scenario),
        offersTools: false,
        requests: 0,
        struck: undefined,
      };
      sessions.set(key, session);
      return session;
    },
    setScenario(scenario) {
      wholeScenario(scenario);
      chosen = scenario;
      sessions.clear();
      played.clear();
    },
    clear() {
      sessions.clear();
      played.clear();
    },
    unused() {
      const open = [...sessions.values()].flatMap(({ key, run }) =>
        run === undefined ? [] : run.unused().map((reply) => ({ session: key, scenario: run.name, reply })),
      );
      const unplayed = [chosen, ...choices.map((choice) => choice.scenario)].flatMap((scenario) => {
        if (scenario === undefined || played.has(scenario)) return [];
        const run = runScenario(scenario);
        return run.unused().map((reply) => ({ session: undefined, scenario: run.name, reply }));
      });
      return [...open, ...unplayed];
    },
  };
}

function matches(
  match: ScenarioMatch,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  request: ApiRequest,
): boolean {
  if (match.apiKey !== undefined && match.apiKey !== readApiKey(headers)) return false;
  if (match.header !== undefined) {
    const value = headers[match.header.name.toLowerCase()];
    if (value === undefined) return false;
    if (match.header.value !== undefined && !fits(match.header.value, String(value))) return false;
  }
  return match.firstUserMessage === undefined || fits(match.firstUserMessage, firstUserText(request));
}

/** A string matches literally, a regular expression as such. */
function fits(wanted: string | RegExp, found: string): boolean {
  return typeof wanted === 'string' ? found.includes(wanted) : wanted.test(found);
}
