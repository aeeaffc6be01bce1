/** Tells the person who does not look that the session waits for them. */
import type { Session } from './session.ts';

const IDLE_MS = 60_000;

/** Runs the Notification hooks when no prompt comes for a while. Returns what calls it off; the session's end does too. */
export function tellWhenIdle({
  config,
  hooks,
  scope,
  world,
}: Pick<Session, 'config' | 'hooks' | 'scope' | 'world'>): (() => void) | undefined {
  if (scope.aborted) return undefined;
  const { signal } = scope;
  const stop = world.clock.timer(config.idleNotificationMs ?? IDLE_MS, () => {
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
