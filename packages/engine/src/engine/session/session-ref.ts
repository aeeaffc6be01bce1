import type { Session } from './session.ts';

/** A late-bound session, for parts that are created before the session is complete. */
export class SessionRef {
  #session: Session | undefined;

  /** Throws while the session is being assembled. */
  get session(): Session {
    if (this.#session === undefined) throw new Error('The session is used before it is complete.');
    return this.#session;
  }

  bind(session: Session): void {
    this.#session = session;
  }
}
