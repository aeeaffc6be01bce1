import type { HookCall, HookEvent } from '../protocol/tools/hook.ts';
import type { HookCallback, HookCallbackMatcher } from '../protocol/tools/hook-callback.ts';
import type { HookListingRow } from '../protocol/tools/hook-config.ts';
import { compileMatcher, type Matches } from './compile-matcher.ts';

export type HookInput = Parameters<HookCallback>[0];

/** Outcome of one hook, before its answer is read. */
export type HookRun =
  | { readonly kind: 'answer'; readonly answer: unknown; readonly exitCode?: number }
  /** Exit code 2. */
  | { readonly kind: 'blocked'; readonly reason: string; readonly exitCode: number }
  /** Any other exit code: shown, and blocks nothing. */
  | { readonly kind: 'complained'; readonly problem: string; readonly exitCode: number }
  /** Failed without an answer: denies what it guards. */
  | { readonly kind: 'failed'; readonly problem: string; readonly exitCode?: number }
  /** Answered `{"async": true}` and continues in the background. */
  | { readonly kind: 'detached'; readonly rest: Promise<HookRun>; readonly timeoutMs: number };

/** Output of a hook so far; grows while it runs. */
export interface HookOutputSoFar {
  stdout: string;
  stderr: string;
}

interface HookRunOptions {
  /**
   * Aborted at the time limit, or when its outcome is no longer needed; a detached hook keeps running until
   * then.
   */
  readonly signal: AbortSignal;
  readonly toolUseId: string | undefined;
  readonly said: HookOutputSoFar;
  /** Of its span, for another process (W3C). */
  readonly traceparent?: string | undefined;
}

/**
 * Runs one hook. May throw, hang and return invalid answers: its caller limits the time and validates the
 * answer.
 */
export type HookKindRunner = (input: HookInput, options: HookRunOptions) => Promise<HookRun>;

export interface RegisteredHook {
  readonly event: HookEvent;
  readonly matches: Matches;
  /** For messages: `PreToolUse:Bash`. */
  readonly name: string;
  readonly timeoutMs: number;
  readonly onFailure: 'continue' | 'block' | undefined;
  readonly run: HookKindRunner;
  /** A condition besides the matcher; one that cannot be evaluated counts as met. */
  readonly applies?: ((call: HookCall) => Promise<boolean>) | undefined;
  readonly once?: boolean | undefined;
  /** Runs without a waiting caller; `rewake`: the text with which it blocks is sent to the model. */
  readonly background?: 'quiet' | 'rewake' | undefined;
  readonly statusMessage?: string | undefined;
  /** Its runs are emitted as `hook_started`, `hook_progress` and `hook_response`. Default false. */
  readonly announced?: boolean | undefined;
  readonly listing: HookListingRow;
}

const DEFAULT_HOOK_TIMEOUT_MS = 60_000;
/** Time limit of SessionEnd hooks. */
const SESSION_END_TIMEOUT_MS = 1_000;

/** `seconds`: the configured limit. */
export function pickTimeoutMs(event: HookEvent, seconds: number | undefined): number {
  if (seconds !== undefined) return seconds * 1000;
  return event === 'SessionEnd' ? SESSION_END_TIMEOUT_MS : DEFAULT_HOOK_TIMEOUT_MS;
}

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
      timeoutMs: pickTimeoutMs(event, timeout),
      onFailure,
      run: runCallback(callback),
      listing: {
        event,
        matcher: matcher ?? '',
        source: 'sessionHook' as const,
        sourceLabel: 'This session',
        type: 'callback' as const,
        displayText: 'A callback of the host',
        commandText: callback.name || 'callback',
        contentLabel: 'Callback',
        ...(timeout !== undefined && { timeout }),
      },
    }));
  });
}

/**
 * An in-process function. It receives a `tool_input` of its own: its changes affect no other hook and no
 * tool.
 */
function runCallback(callback: HookCallback): HookKindRunner {
  return async (input, { signal, toolUseId }) => {
    const answer: unknown = await callback(isolate(input), toolUseId, { signal });
    // A function that returns nothing makes no decision, like `{}`.
    return { kind: 'answer', answer: answer === undefined ? {} : answer };
  };
}

function isolate(input: HookInput): HookInput {
  const own = input['tool_input'];
  if (typeof own !== 'object' || own === null) return { ...input };
  try {
    return { ...input, tool_input: structuredClone(own) };
  } catch {
    return { ...input }; // holds a function or the like, so it was not read from JSON
  }
}
