import type { HookCallback, HookCallbackMatcher, HookEvent } from '../protocol/hook.ts';
import { compileMatcher, type Matches } from './match.ts';
import { runCallback } from './run-callback.ts';

export type HookInput = Parameters<HookCallback>[0];

/**
 * Runs one hook of one kind (a callback now; a command, a prompt, an HTTP call alike) and gives back what it
 * answered, unread. May throw, hang and answer junk: the runner that calls it bounds and judges that.
 */
export type HookKindRunner = (
  input: HookInput,
  options: { readonly signal: AbortSignal; readonly toolUseId: string | undefined },
) => Promise<unknown>;

export interface RegisteredHook {
  readonly event: HookEvent;
  readonly matches: Matches;
  /** For messages: `PreToolUse:Bash`. */
  readonly name: string;
  readonly timeoutMs: number;
  readonly onFailure: 'continue' | 'block' | undefined;
  readonly run: HookKindRunner;
}

export const DEFAULT_HOOK_TIMEOUT_MS = 60_000;

/** One entry per callback, in the order of registration. */
export function callbackHooks(
  event: HookEvent,
  matchers: readonly HookCallbackMatcher[],
): readonly RegisteredHook[] {
  return matchers.flatMap(({ matcher, hooks, timeout, onFailure }) => {
    const matches = compileMatcher(matcher, event);
    return hooks.map((callback) => ({
      event,
      matches,
      name: matcher ? `${event}:${matcher}` : event,
      timeoutMs: timeout === undefined ? DEFAULT_HOOK_TIMEOUT_MS : timeout * 1000,
      onFailure,
      run: runCallback(callback),
    }));
  });
}
