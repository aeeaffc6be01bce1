/**
 * The completion conditions of a session: those that it was given, those of a command, and the goal of the
 * conversation. `verify-submission.ts` works with them.
 */
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { Terminal } from '../../protocol/session/terminal.ts';
import type { Verification, VerifyConditions } from '../../protocol/session/verification.ts';
import type { EffectWatch } from '../../protocol/tools/gate-ports.ts';
import type { EffectLedger } from './effect-ledger.ts';

/** Conditions of a submission, and what the files that must not change held when it began. */
type Recorded = Pick<Extract<JournalBody, { type: 'verify' }>, 'conditions' | 'baseline'>;

export class SessionVerification {
  readonly #given: VerifyConditions | undefined;
  /** Of the conversation; undefined: it has none. */
  goal: VerifyConditions | undefined;
  #running: (Recorded & { readonly ledger: EffectLedger }) | undefined;

  constructor(given: VerifyConditions | undefined) {
    this.#given = given;
  }

  /** Of a submission whose command has conditions of its own; empty: nothing is to be checked. */
  conditionsWith(own: VerifyConditions | undefined): readonly VerifyConditions[] {
    return [this.#given, this.goal, own].filter((each) => each !== undefined).filter(asksSomething);
  }

  /** Those of the running submission. */
  get running(): (Recorded & { readonly ledger: EffectLedger }) | undefined {
    return this.#running;
  }

  start(recorded: Recorded, ledger: EffectLedger): void {
    this.#running = { conditions: recorded.conditions, baseline: recorded.baseline, ledger };
  }

  end(): void {
    this.#running = undefined;
  }

  /** Sees the calls that run; undefined: nothing is to be proven. */
  get effects(): EffectWatch | undefined {
    return this.#running?.ledger;
  }

  /** What the result says; undefined: the submission has no conditions. */
  stateAt({ reason, verification }: Terminal): Verification | undefined {
    if (this.#running === undefined || verification !== undefined) return verification;
    const why = reason === 'completed' ? 'nothing was to be checked yet' : `it ended with ${reason}`;
    return {
      status: 'unverified',
      reason: `The run ended before its conditions were checked: ${why}.`,
      checks: [],
    };
  }
}

const asksSomething = ({ attempts: _, ...conditions }: VerifyConditions): boolean =>
  Object.values(conditions).some((each) => each !== undefined && (!Array.isArray(each) || each.length > 0));
