/** Options that belong to one process or one session, so a worker cannot give them to all. */
import type { Options } from '@turnwright/engine';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';

const REFUSED: Partial<Record<keyof Options, string>> = {
  resume: 'a worker resumes each session itself',
  continue: 'a worker resumes each session itself',
  sessionId: 'a session gets its id when the first prompt is sent to it',
  forkSession: 'a worker carries each session on as it is',
  resumeSessionAt: 'a worker carries each session on as it is',
  resumeDropsTurn: 'a worker carries each session on as it is',
  carryOn: 'a worker always carries on what was interrupted',
  sessionStore: 'sessions are stored in the database, where every worker finds them',
  persistSession: 'sessions are stored in the database, where every worker finds them',
  abortController: 'it would end the sessions of one process only: send an interrupt to the session',
};

const REFUSED_PORTS = ['store', 'leases', 'inbox', 'sessionsDirectory', 'initialMessages'] as const;

/** Throws `invalid_option` with the first of them. */
export function refuseWhatCannotTravel(options: Options): void {
  for (const [name, why] of Object.entries(REFUSED))
    if (options[name as keyof Options] !== undefined) throw refused(`"${name}"`, why);
  for (const name of REFUSED_PORTS)
    if (options.engine?.[name] !== undefined)
      throw refused(`"engine.${name}"`, 'sessions are stored in the database, where every worker finds them');
}

const refused = (name: string, why: string): TurnwrightError =>
  new TurnwrightError('invalid_option', `The options of a worker cannot have ${name}: ${why}.`);
