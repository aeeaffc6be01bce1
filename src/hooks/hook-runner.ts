import { TurnwrightError } from '../protocol/errors.ts';
import {
  HOOK_EVENTS,
  type HookCallbackMatcher,
  type HookEvent,
  type HookInputBase,
  type HookPort,
  NO_HOOK_VERDICT,
} from '../protocol/hook.ts';
import type { Clock } from '../protocol/ports.ts';
import { closesOnFailure } from './failure-mode.ts';
import { foldOutcomes, type HookOutcome } from './fold.ts';
import { subjectOf } from './match.ts';
import { readHookOutput } from './read-output.ts';
import { callbackHooks, type HookInput, type RegisteredHook } from './registered-hook.ts';

export interface HooksOptions {
  readonly matchers?: { readonly [E in HookEvent]?: readonly HookCallbackMatcher[] | undefined } | undefined;
  /** Hooks of other kinds, each with its own runner; they come after the callbacks of their event. */
  readonly more?: readonly RegisteredHook[] | undefined;
  /** The fields every input begins with, as they stand when a hook runs. */
  readonly base: () => HookInputBase;
  readonly clock: Clock;
}

/**
 * Hooks of one session. All that match start at once and are folded in the order of registration (F94). Throws
 * `invalid_option` here for an event or a matcher that cannot be read; `run` never throws.
 */
export function createHooks({ matchers = {}, more = [], base, clock }: HooksOptions): HookPort {
  const byEvent = new Map<HookEvent, RegisteredHook[]>();
  const add = (hook: RegisteredHook) => {
    const known = byEvent.get(hook.event);
    if (known === undefined) byEvent.set(hook.event, [hook]);
    else known.push(hook);
  };
  for (const [name, list] of Object.entries(matchers)) {
    const event = HOOK_EVENTS.find((known) => known === name);
    if (event === undefined) throw new TurnwrightError('invalid_option', `There is no hook event "${name}".`);
    for (const hook of callbackHooks(event, list ?? [])) add(hook);
  }
  for (const hook of more) add(hook);

  return {
    has: (event) => byEvent.has(event),
    async run(call, { signal, toolUseId }) {
      const registered = byEvent.get(call.event);
      if (registered === undefined) return NO_HOOK_VERDICT;
      const subject = subjectOf(call);
      const matching = registered.filter((hook) => hook.matches(subject));
      if (matching.length === 0) return NO_HOOK_VERDICT;
      const { event, ...fields } = call;
      const input = () => ({ ...base(), ...fields, hook_event_name: event });
      const outcomes = await Promise.all(
        matching.map((hook) => runOne(hook, input, signal, toolUseId, clock)),
      );
      return foldOutcomes(event, outcomes);
    },
  };
}

async function runOne(
  hook: RegisteredHook,
  input: () => HookInput,
  signal: AbortSignal,
  toolUseId: string | undefined,
  clock: Clock,
): Promise<HookOutcome> {
  const { event, name } = hook;
  if (signal.aborted) return { kind: 'aborted', name };
  const failed = (problem: string): HookOutcome => ({
    kind: 'failed',
    name,
    problem,
    closes: closesOnFailure(event, hook.onFailure),
  });
  const running = new AbortController();
  const onAbort = () => running.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });

  const answered = async (): Promise<HookOutcome> => {
    try {
      const reading = readHookOutput(await hook.run(input(), { signal: running.signal, toolUseId }), event);
      return reading.ok
        ? { kind: 'answered', name, output: reading.output }
        : failed(`its answer was rejected: ${reading.problem}`);
    } catch (error) {
      return failed(`it threw: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  // Ends with the time limit, or with an abort that the hook itself does not heed.
  const cutOff = async (): Promise<HookOutcome> => {
    try {
      await clock.sleep(hook.timeoutMs, running.signal);
      return failed(`it did not answer within ${hook.timeoutMs / 1000} s.`);
    } catch {
      return { kind: 'aborted', name };
    }
  };
  try {
    const outcome = await Promise.race([answered(), cutOff()]);
    // A hook that throws because it was aborted did not fail.
    return signal.aborted && outcome.kind === 'failed' ? { kind: 'aborted', name } : outcome;
  } finally {
    signal.removeEventListener('abort', onAbort);
    running.abort('settled');
  }
}
