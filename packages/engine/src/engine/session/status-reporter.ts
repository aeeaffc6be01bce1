/**
 * Status of a submission (L1), as `setSDKStatus` receives it: initial → system_prompt → user_input → either
 * no_query, or query_loop with its inner states, → done.
 */
export type SDKStatus =
  | 'initial'
  | 'system_prompt'
  | 'user_input'
  | 'no_query'
  | 'query_loop'
  | 'streaming'
  | 'tools'
  | 'recovery_check'
  | 'compact_check'
  | 'done';

/** Reports each change of status once. An error of the host's callback does not affect the run. */
export class StateMachine {
  readonly #tell: ((status: SDKStatus) => void) | undefined;
  #current: SDKStatus = 'initial';

  constructor(tell: ((status: SDKStatus) => void) | undefined) {
    this.#tell = tell;
  }

  get current(): SDKStatus {
    return this.#current;
  }

  enter(next: SDKStatus): void {
    if (next === this.#current && next !== 'initial') return;
    this.#current = next;
    try {
      this.#tell?.(next);
    } catch {
      // An error of the callback is ignored.
    }
  }
}
