import type { Session } from './session.ts';

/** A session, for rooms that are made before it is complete and need it later. */
export class SessionRef {
  #session: Session | undefined;

  /** Throws while the session is being put together. */
  get session(): Session {
    if (this.#session === undefined) throw new Error('The session was asked for before it was complete.');
    return this.#session;
  }

  bind(session: Session): void {
    this.#session = session;
  }
}
