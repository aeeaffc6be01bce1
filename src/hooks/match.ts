import { TurnwrightError } from '../protocol/errors.ts';
import type { HookCall, HookEvent } from '../protocol/tools/hook.ts';

/** The input field of an event that its matcher is compared with. Events that are not listed always match. */
export const SUBJECT: Partial<Record<HookEvent, string>> = {
  PreToolUse: 'tool_name',
  PostToolUse: 'tool_name',
  PostToolUseFailure: 'tool_name',
  PermissionRequest: 'tool_name',
  PermissionDenied: 'tool_name',
  Notification: 'notification_type',
  UserPromptExpansion: 'command_name',
  SessionStart: 'source',
  SessionEnd: 'reason',
  StopFailure: 'error',
  SubagentStart: 'agent_type',
  SubagentStop: 'agent_type',
  PreCompact: 'trigger',
  PostCompact: 'trigger',
  PreModelSwitch: 'source',
  PostModelSwitch: 'source',
  Setup: 'trigger',
  Elicitation: 'mcp_server_name',
  ElicitationResult: 'mcp_server_name',
  ConfigChange: 'source',
  InstructionsLoaded: 'load_reason',
  DirectoryAdded: 'source',
  PreSkillShellCommand: 'tool_name',
};

export type Matches = (subject: string | undefined) => boolean;

/**
 * null, '' and `*` match everything; `Bash` or `Edit|Write` match these names exactly; anything else is a
 * regular expression, unanchored. Throws `invalid_option` for an invalid one: a gate that never matches
 * allows everything.
 */
export function compileMatcher(matcher: string | null | undefined, event: HookEvent): Matches {
  if (matcher === null || matcher === undefined || matcher === '' || matcher === '*') return () => true;
  if (/^[\w-]+(?:\|[\w-]+)*$/.test(matcher)) {
    const names = matcher.split('|');
    return (subject) => subject === undefined || names.includes(subject);
  }
  try {
    const pattern = new RegExp(matcher);
    return (subject) => subject === undefined || pattern.test(subject);
  } catch (cause) {
    throw new TurnwrightError(
      'invalid_option',
      `The matcher "${matcher}" of a ${event} hook is neither a name, a list of names (Edit|Write) nor a regular expression.`,
      { cause },
    );
  }
}

/** Value that matchers of this event are compared with; undefined when the event has no such field. */
export function subjectOf(call: HookCall): string | undefined {
  const field = SUBJECT[call.event];
  const value = field === undefined ? undefined : (call as Readonly<Record<string, unknown>>)[field];
  return typeof value === 'string' ? value : undefined;
}

/** Display name of an event's hooks: `PreToolUse:Bash`, `Stop`. */
export function labelOf(event: HookEvent, subject: string | undefined): string {
  return subject === undefined || subject === '' ? event : `${event}:${subject}`;
}
