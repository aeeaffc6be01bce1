import { runInNewContext } from 'node:vm';
import { TurnwrightError } from '../protocol/errors.ts';
import { LEGACY_TOOL_NAME_ALIASES } from '../protocol/tools/builtin-tools.ts';
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

/** As it is read: for everything, for these exact names, or a regular expression. */
type Matcher = 'everything' | readonly string[] | RegExp;

/**
 * null, '' and `*` match everything. Only letters, digits, `_`, `-`, `,`, `|` and blanks: a list of exact
 * names, separated by `|` or `,`. Anything else is a regular expression, unanchored. Throws `invalid_option`
 * for an invalid one: a gate that never matches allows everything.
 */
function readMatcher(matcher: string | null | undefined, event: HookEvent): Matcher {
  // An event without such a field has nothing to compare: its hooks run, whatever is written there.
  if (SUBJECT[event] === undefined) return 'everything';
  if (matcher === null || matcher === undefined || matcher === '' || matcher === '*') return 'everything';
  if (/^[\w\- \t\r\n,|]*$/.test(matcher))
    return matcher
      .split(/[,|]/)
      .map((name) => name.trim())
      .filter((name) => name !== '');
  try {
    return new RegExp(matcher);
  } catch (cause) {
    throw new TurnwrightError(
      'invalid_option',
      `The matcher "${matcher}" of a ${event} hook is neither a name, a list of names (Edit|Write) nor a regular expression.`,
      { cause },
    );
  }
}

/** Throws `invalid_option` for a matcher that cannot be read. */
export function compileMatcher(matcher: string | null | undefined, event: HookEvent): Matches {
  const read = readMatcher(matcher, event);
  if (read === 'everything') return () => true;
  const fits = read instanceof RegExp ? createTest(read) : (name: string) => read.includes(name);
  return (subject) => subject === undefined || listNames(subject, event).some(fits);
}

/** ms that a regular expression may take for one name. */
const MOST_MS = 50;
const MOST_TRIES = 5;

/**
 * A hook runs, too, where its matcher takes too long to say so: a group that repeats, or many repetitions,
 * may try out more ways than can be waited for.
 */
function createTest(pattern: RegExp): (name: string) => boolean {
  const { source } = pattern;
  const mayTakeLong = /\)[*+{]/.test(source) || (source.match(/[*+{]/g)?.length ?? 0) > 3;
  if (!mayTakeLong) return (name) => pattern.test(name);
  return (name) => {
    const { user } = process.cpuUsage();
    // The limit is one of the clock: on a busy machine it may pass before much of the pattern was tried.
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      try {
        return runInNewContext('pattern.test(name)', { pattern, name }, { timeout: MOST_MS }) === true;
      } catch {
        if (process.cpuUsage().user - user > MOST_MS * 1000) break;
      }
    }
    return true;
  };
}

const TOOL_SUBJECT = 'tool_name';
const FORMER_NAMES = Object.entries(LEGACY_TOOL_NAME_ALIASES);

/** A tool answers to its former names, too: a guard for `Task` guards `Agent`. */
function listNames(subject: string, event: HookEvent): readonly string[] {
  if (SUBJECT[event] !== TOOL_SUBJECT) return [subject];
  return [subject, ...FORMER_NAMES.flatMap(([former, name]) => (name === subject ? [former] : []))];
}

/** Values of the field, where all are known. */
const VALUES: Partial<Record<HookEvent, readonly string[]>> = {
  SessionStart: ['startup', 'resume', 'clear', 'compact', 'fork'],
  PreCompact: ['manual', 'auto'],
  PostCompact: ['manual', 'auto'],
  PreModelSwitch: ['sdk', 'command'],
  PostModelSwitch: ['sdk', 'command'],
  ConfigChange: ['user_settings', 'project_settings', 'local_settings', 'policy_settings', 'skills'],
  SessionEnd: ['clear', 'resume', 'logout', 'prompt_input_exit', 'bypass_permissions_disabled', 'other'],
  InstructionsLoaded: [
    'session_start',
    'nested_traversal',
    'path_glob_match',
    'include',
    'compact',
    'recall',
  ],
};
/** Of a regular expression that may be meant for tools of MCP servers, whose names come later. */
const OPEN_PATTERN = /mcp|__|\.[*+?{]|\\[wWSD]|\[\^?/;

/**
 * Whether a matcher that can be read matches nothing that there can be, so that its hooks never run. `tools`:
 * the names of the session's own tools.
 */
export function matchesNothing(
  matcher: string | null | undefined,
  event: HookEvent,
  tools: () => readonly string[],
): boolean {
  const field = SUBJECT[event];
  const isTool = field === TOOL_SUBJECT;
  const read = readMatcher(matcher, event);
  if (read === 'everything') return false;
  if (!(read instanceof RegExp) && read.length === 0) return true;
  const values = isTool ? tools().flatMap((name) => listNames(name, event)) : VALUES[event];
  if (values === undefined) return false;
  if (read instanceof RegExp)
    return !values.some(createTest(read)) && !(isTool && OPEN_PATTERN.test(read.source));
  return !read.some((name) => values.includes(name) || (isTool && /^mcp__.+__./.test(name)));
}

/** Value that matchers of this event are compared with; undefined when the event has no such field. */
export function readSubject(call: HookCall): string | undefined {
  const field = SUBJECT[call.event];
  const value = field === undefined ? undefined : (call as Readonly<Record<string, unknown>>)[field];
  return typeof value === 'string' ? value : undefined;
}

/** Display name of an event's hooks: `PreToolUse:Bash`, `Stop`. */
export function formatHookName(event: HookEvent, subject: string | undefined): string {
  return subject === undefined || subject === '' ? event : `${event}:${subject}`;
}
