/** The completion conditions of a submission, from beginning to result. What checks them is loaded late. */

import type { JournalBody } from '../../protocol/session/journal.ts';
import type { Terminal } from '../../protocol/session/terminal.ts';
import {
  VERIFY_ATTEMPTS,
  type VerifyConditions,
  type VerifyPort,
} from '../../protocol/session/verification.ts';
import type { Session } from '../session/session.ts';

/** `own`: those of its command. They are recorded, with what must not change. */
export async function beginVerification(
  submission: string,
  own: VerifyConditions | undefined,
  session: Session,
): Promise<void> {
  const { conversation, verification } = session;
  verification.end();
  const all = verification.conditionsWith(own);
  if (all.length === 0) return;
  const { joinConditions, takeBaseline } = await import('./check-conditions.ts');
  const conditions = joinConditions(all);
  const baseline = await takeBaseline(conditions, session);
  await conversation.recorder.append([
    { type: 'verify', id: `${submission}/verify`, submission, conditions, baseline },
  ]);
  await start({ conditions, baseline }, session);
}

/** Of a submission of an earlier process: nothing that ran there proves anything now. */
export async function carryOnVerification(
  submission: string,
  recorded: Extract<JournalBody, { type: 'verify' }> | undefined,
  session: Session,
): Promise<void> {
  session.verification.end();
  await (recorded === undefined
    ? beginVerification(submission, undefined, session)
    : start(recorded, session));
}

async function start(
  recorded: Parameters<Session['verification']['start']>[0],
  { verification }: Pick<Session, 'verification'>,
): Promise<void> {
  const { EffectLedger } = await import('./effect-ledger.ts');
  verification.start(recorded, new EffectLedger(recorded.conditions));
}

/** undefined: nothing is to be checked at the end of the running submission. */
export function verifyPort(session: Session): VerifyPort | undefined {
  const { running } = session.verification;
  if (running === undefined) return undefined;
  return {
    attempts: running.conditions.attempts ?? VERIFY_ATTEMPTS,
    async check(end) {
      // A plan is no work that could be checked.
      if (session.permissions.mode === 'plan') return undefined;
      const { checkConditions } = await import('./check-conditions.ts');
      return checkConditions(running, end, session);
    },
  };
}

/** Recorded, so that the session keeps it. undefined: there is none any more. */
export async function setGoal(
  goal: VerifyConditions | undefined,
  { conversation, verification, world }: Pick<Session, 'conversation' | 'verification' | 'world'>,
): Promise<void> {
  const id = `goal/${world.ids.uuid()}`;
  await conversation.recorder.append([{ type: 'goal', id, submission: id, conditions: goal ?? null }]);
  verification.goal = goal;
}

/** A goal that was reached is no goal any more. */
export async function endGoal({ verification: found }: Terminal, session: Session): Promise<void> {
  if (found?.status === 'verified' && session.verification.goal !== undefined)
    await setGoal(undefined, session);
}
