import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import type { ChaosOptions } from './faults/chaos.ts';
import { FAULT_NAMES } from './faults/fault.ts';
import type { TimelineEvent } from './http/timeline.ts';
import { RULE_NAMES } from './judge/index.ts';
import type { ModelFacts } from './models.ts';
import type { ApiRequest } from './request/api-request.ts';
import type { RequestKind } from './scenario/rehearsal-request.ts';
import type { Scenario, ScenarioFunction } from './scenario/scenario.ts';
import type { ScenarioChoice } from './session-book.ts';

/** Options of `startRehearsal()`. */
export interface RehearsalOptions {
  /** Played in every session that no entry of `scenarios` matches. */
  readonly scenario?: Scenario | ScenarioFunction;
  /** The first one that matches the first request of a session is played in it. */
  readonly scenarios?: readonly ScenarioChoice[];
  /** Default 0: any free port. */
  readonly port?: number;
  /** Names of rules that are switched off (`RULE_NAMES`). */
  readonly lenient?: readonly string[];
  /** The only accepted key. Default: any that is not empty. */
  readonly apiKey?: string;
  /** Random faults, the same for the same seed. Default none. */
  readonly chaos?: ChaosOptions;
  /** Context windows in tokens, by model id; an unknown id defines a model. */
  readonly windows?: Readonly<Record<string, number>>;
  /** Message threads that are held; the oldest is forgotten first. Default 1000. */
  readonly heldThreads?: number;
  /** Other facts, by model id; an unknown id defines a model. */
  readonly models?: Readonly<Record<string, Partial<Omit<ModelFacts, 'id'>>>>;
  /** Determines what a request is for. Default: derived from its shape. */
  readonly kindOf?: (request: ApiRequest, sessionOffersTools: boolean) => RequestKind;
  /** Session of a request. Default: the session header, `metadata.user_id` or the API key, in this order. */
  readonly sessionOf?: (request: {
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: Readonly<Record<string, unknown>>;
  }) => string;
  /** Clock for pauses, the lifetime of cache entries and the timeline. */
  readonly clock?: Clock;
  /** Called with every event of the timeline as it happens. */
  readonly onEvent?: (event: TimelineEvent) => void;
}

/** @throws TurnwrightError `invalid_option`, naming the problem and the accepted values. */
export function checkRehearsalOptions(options: RehearsalOptions): void {
  for (const name of options.lenient ?? []) {
    if (!RULE_NAMES.includes(name)) {
      throw new TurnwrightError(
        'invalid_option',
        `lenient: there is no rule "${name}". Rules: ${RULE_NAMES.join(', ')}.`,
      );
    }
  }
  const { chaos } = options;
  if (chaos === undefined) return;
  if (!Number.isInteger(chaos.seed))
    throw new TurnwrightError('invalid_option', 'chaos.seed: expected a whole number.');
  if (!(chaos.rate >= 0 && chaos.rate <= 1)) {
    throw new TurnwrightError('invalid_option', 'chaos.rate: expected a number from 0 to 1.');
  }
  for (const name of chaos.faults ?? []) {
    if (!FAULT_NAMES.includes(name)) {
      throw new TurnwrightError(
        'invalid_option',
        `chaos.faults: there is no fault "${name}". Faults: ${FAULT_NAMES.join(', ')}.`,
      );
    }
  }
}
