/** Tells the person who does not look that the session waits for them. */
import type { EngineParts } from './session-parts.ts';

const IDLE_MS = 60_000;

/** Runs the Notification hooks when no prompt comes for a while. Returns what calls it off; the session's end does too. */
export function tellWhenIdle({
  config,
  clock,
  hooks,
  scope,
}: Pick<EngineParts, 'config' | 'clock' | 'hooks' | 'scope'>): (() => void) | undefined {
  if (scope.aborted) return undefined;
  const { signal } = scope;
  const stop = clock.timer(config.idleNotificationMs ?? IDLE_MS, () => {
    if (signal.aborted) return;
    void hooks.run(
      {
        event: 'Notification',
        message: 'The session is waiting for a prompt.',
        notification_type: 'idle_prompt',
      },
      { signal },
    );
  });
  signal.addEventListener('abort', stop, { once: true });
  return () => {
    signal.removeEventListener('abort', stop);
    stop();
  };
}
