/** Hooks in the process of a host: what it registers, and what they answer. */
import type { HookEvent, HookInputBase } from './hook.ts';

/**
 * Answer of a hook. `{}`: no opinion. docs/hooks.md lists the effect of each field by event.
 *
 * @example
 * ```ts
 * const ask: HookOutput = {
 *   hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' },
 * };
 * const goOn: HookOutput = { decision: 'block', reason: 'The tests still fail.' };
 * ```
 */
export interface HookOutput {
  /** false: ends the run, or denies what is about to happen. Default true. */
  continue?: boolean;
  /** true: leaves stdout out of `hook_response`. Default false. */
  suppressOutput?: boolean;
  /** Shown with `continue: false`. */
  stopReason?: string;
  /** `block`: refuses, with `reason`. `approve`: allows a call. */
  decision?: 'approve' | 'block';
  /** Message for the user. */
  systemMessage?: string;
  reason?: string;
  /** Fields of single events; `hookEventName` is required. */
  hookSpecificOutput?: { hookEventName: HookEvent; [key: string]: unknown };
  /** Continues in the background: no decision. */
  async?: boolean;
  /** Time limit of a background command, in ms. */
  asyncTimeout?: number;
}

/**
 * A hook in the host's process. `signal` is aborted at its time limit and when the run is interrupted.
 *
 * @example
 * ```ts
 * const format: HookCallback = async ({ tool_name, tool_input }) => {
 *   console.log(tool_name, tool_input);
 *   return { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'It was formatted.' } };
 * };
 * ```
 */
export type HookCallback = (
  input: HookInputBase & { readonly hook_event_name: HookEvent; readonly [key: string]: unknown },
  toolUseID: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<HookOutput>;

/**
 * Hooks of one event, and the calls or causes that they are for.
 *
 * @example
 * ```ts
 * const guard: HookCallbackMatcher = {
 *   matcher: 'Write|Edit',
 *   hooks: [async () => ({ decision: 'block', reason: 'This folder is read-only.' })],
 *   timeout: 5,
 * };
 * const options: Options = { hooks: { PreToolUse: [guard] } };
 * ```
 */
export interface HookCallbackMatcher {
  /** A name, names separated by `|`, or a regular expression. Absent, `''` or `*`: everything. */
  readonly matcher?: string | null;
  readonly hooks: readonly HookCallback[];
  /** Seconds. Default 60. */
  readonly timeout?: number;
  /** What a failed hook means. Default: `block` for guards, else `continue`. */
  readonly onFailure?: 'continue' | 'block';
}
