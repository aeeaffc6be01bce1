/** Notifies a user who is elsewhere that the session waits for a prompt. */
import type { Session } from './session.ts';

const IDLE_MS = 60_000;

/**
 * Runs the Notification hooks after a time without a prompt. The returned function, or the session's end,
 * cancels it.
 */
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
