/**
 * Where a submission stands (L1), as `setSDKStatus` is told: initial → system_prompt → user_input → either
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

/** Tells the host about each change of state once. A host that throws never harms the run. */
export function createStateMachine(tell: ((status: SDKStatus) => void) | undefined) {
  let current: SDKStatus = 'initial';
  return {
    get current(): SDKStatus {
      return current;
    },
    enter(next: SDKStatus): void {
      if (next === current && next !== 'initial') return;
      current = next;
      try {
        tell?.(next);
      } catch {
        // An observer's fault is the observer's.
      }
    },
  };
}

export type StateMachine = ReturnType<typeof createStateMachine>;
