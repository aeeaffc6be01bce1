/**
 * The completion conditions of a session: those that it was given, of a command, or a goal of the
 * conversation. What checks them is loaded by the first submission that has some.
 */
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { Terminal } from '../../protocol/session/terminal.ts';
import {
  VERIFY_ATTEMPTS,
  type Verification,
  type VerifyConditions,
  type VerifyPort,
} from '../../protocol/session/verification.ts';
import type { EffectWatch } from '../../protocol/tools/gate-ports.ts';
import type { Session } from '../session/session.ts';
import type { EffectLedger } from './effect-ledger.ts';

type VerifyRecord = Extract<JournalBody, { type: 'verify' }>;

export class SessionVerification {
  readonly #given: VerifyConditions | undefined;
  #goal: VerifyConditions | undefined;
  #running: Omit<VerifyRecord, 'type' | 'id' | 'submission'> | undefined;
  #effects: EffectLedger | undefined;

  constructor(given: VerifyConditions | undefined) {
    this.#given = given !== undefined && isAny(given) ? given : undefined;
  }

  /** Of the conversation, until another one is set; undefined: none. */
  get goal(): VerifyConditions | undefined {
    return this.#goal;
  }

  /** Recorded, so that the session keeps it. */
  async setGoal(goal: VerifyConditions | undefined, { conversation, world }: Session): Promise<void> {
    const id = `goal/${world.ids.uuid()}`;
    await conversation.recorder.append([{ type: 'goal', id, submission: id, conditions: goal ?? null }]);
    this.#goal = goal;
  }

  /** The goal of an earlier process. */
  restore(goal: VerifyConditions | undefined): void {
    this.#goal = goal;
  }

  /** A goal that was reached is no goal any more. */
  async ended({ verification }: Terminal, session: Session): Promise<void> {
    if (verification?.status === 'verified' && this.#goal !== undefined)
      await this.setGoal(undefined, session);
  }

  /** Sees what runs; undefined: nothing is to be proven. */
  get effects(): EffectWatch | undefined {
    return this.#effects;
  }

  /** Of a submission that begins: `own` are those of its command. Recorded with how things are now. */
  async begin(submission: string, own: VerifyConditions | undefined, session: Session): Promise<void> {
    this.end();
    const all = [this.#given, this.#goal, own].filter((each) => each !== undefined && isAny(each));
    if (all.length === 0) return;
    const { joinConditions, takeBaseline } = await import('./run-checks.ts');
    const conditions = joinConditions(all as readonly VerifyConditions[]);
    const baseline = await takeBaseline(conditions, session);
    await session.conversation.recorder.append([
      { type: 'verify', id: `${submission}/verify`, submission, conditions, baseline },
    ]);
    await this.#start({ conditions, baseline });
  }

  /** Of a submission of an earlier process: nothing that ran there proves anything now. */
  async carryOn(submission: string, recorded: VerifyRecord | undefined, session: Session): Promise<void> {
    this.end();
    if (recorded === undefined) await this.begin(submission, undefined, session);
    else await this.#start(recorded);
  }

  async #start(running: NonNullable<SessionVerification['running']>): Promise<void> {
    const { EffectLedger } = await import('./effect-ledger.ts');
    this.#running = running;
    this.#effects = new EffectLedger(running.conditions);
  }

  get running(): Pick<VerifyRecord, 'conditions' | 'baseline'> | undefined {
    return this.#running;
  }

  end(): void {
    this.#running = undefined;
    this.#effects = undefined;
  }

  /** undefined: nothing is to be checked at the end of the running submission. */
  portFor(session: Session): VerifyPort | undefined {
    const running = this.#running;
    const effects = this.#effects;
    if (running === undefined || effects === undefined) return undefined;
    return {
      attempts: running.conditions.attempts ?? VERIFY_ATTEMPTS,
      async check(end) {
        // A plan is no work that could be checked.
        if (isPlanning(session.permissions)) return undefined;
        const { runChecks } = await import('./run-checks.ts');
        return runChecks(running, end, effects, session);
      },
    };
  }

  /** What the result says; undefined: the submission had no conditions. */
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

const isPlanning = ({ mode }: Pick<Permissions, 'mode'>): boolean => mode === 'plan';

const isAny = ({ attempts: _, ...conditions }: VerifyConditions): boolean =>
  Object.values(conditions).some(
    (each) => each !== undefined && (typeof each !== 'object' || Object.keys(each).length > 0),
  );
