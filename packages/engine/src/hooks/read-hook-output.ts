import { isRecord } from '@turnwright/base/json-values.ts';
import { HOOK_EVENTS, type HookEvent } from '../protocol/tools/hook.ts';
import type { HookOutput } from '../protocol/tools/hook-callback.ts';

/** Fields of `hookSpecificOutput`, by event. An event that is not listed has none. */
const SPECIFIC: Partial<Record<HookEvent, readonly string[]>> = {
  PreToolUse: ['permissionDecision', 'permissionDecisionReason', 'updatedInput', 'additionalContext'],
  PostToolUse: ['additionalContext', 'classifierContext', 'updatedToolOutput', 'updatedMCPToolOutput'],
  PostToolUseFailure: ['additionalContext'],
  PostToolBatch: ['additionalContext'],
  PermissionRequest: ['decision'],
  PermissionDenied: ['retry'],
  Notification: ['additionalContext'],
  UserPromptSubmit: ['additionalContext', 'sessionTitle', 'suppressOriginalPrompt'],
  UserPromptExpansion: ['additionalContext', 'suppressOriginalPrompt'],
  SessionStart: ['additionalContext', 'initialUserMessage', 'sessionTitle', 'watchPaths', 'reloadSkills'],
  Stop: ['additionalContext'],
  SubagentStart: ['additionalContext'],
  SubagentStop: ['additionalContext'],
  PreCompact: ['additionalContext'],
  PreModelSwitch: ['permissionDecision', 'permissionDecisionReason'],
  PostModelSwitch: ['additionalContext'],
  Setup: ['additionalContext'],
  Elicitation: ['action', 'content'],
  ElicitationResult: ['action', 'content'],
  WorktreeCreate: ['worktreePath'],
  CwdChanged: ['watchPaths'],
  FileChanged: ['watchPaths'],
  MessageDisplay: ['displayContent'],
  PreSkillShellCommand: ['permissionDecision', 'permissionDecisionReason', 'updatedInput'],
};
const KNOWN_SPECIFIC: ReadonlySet<string> = new Set(Object.values(SPECIFIC).flat());

/** A field with a fixed shape, and a description of it. */
const SHAPES: readonly (readonly [field: string, expected: string, fits: (value: unknown) => boolean])[] = [
  ['continue', 'true or false', (value) => typeof value === 'boolean'],
  ['suppressOutput', 'true or false', (value) => typeof value === 'boolean'],
  ['async', 'true or false', (value) => typeof value === 'boolean'],
  ['stopReason', 'a text', (value) => typeof value === 'string'],
  ['systemMessage', 'a text', (value) => typeof value === 'string'],
  ['reason', 'a text', (value) => typeof value === 'string'],
  ['decision', '"approve" or "block"', (value) => value === 'approve' || value === 'block'],
  ['hookSpecificOutput', 'an object', isRecord],
];
const SPECIFIC_SHAPES: typeof SHAPES = [
  [
    'permissionDecision',
    '"allow", "deny" or "ask"',
    (value) => value === 'allow' || value === 'deny' || value === 'ask',
  ],
  ['permissionDecisionReason', 'a text', (value) => typeof value === 'string'],
  ['updatedInput', 'an object', isRecord],
  ['additionalContext', 'a text', (value) => typeof value === 'string'],
  ['displayContent', 'a text', (value) => typeof value === 'string'],
  ['initialUserMessage', 'a text', (value) => typeof value === 'string'],
  ['retry', 'true or false', (value) => typeof value === 'boolean'],
  ['sessionTitle', 'a text', (value) => typeof value === 'string'],
  ['suppressOriginalPrompt', 'true or false', (value) => typeof value === 'boolean'],
  ['reloadSkills', 'true or false', (value) => typeof value === 'boolean'],
  [
    'action',
    '"accept", "decline" or "cancel"',
    (value) => value === 'accept' || value === 'decline' || value === 'cancel',
  ],
  ['content', 'an object', isRecord],
];

type OutputReading =
  | { readonly ok: true; readonly output: HookOutput }
  /** One sentence: the problem. */
  | { readonly ok: false; readonly problem: string };

/**
 * Reads an answer. Null and absent fields are ignored, unknown fields too; a known field of the wrong shape,
 * or one of another event (F97), invalidates the whole answer.
 */
export function readHookOutput(answer: unknown, event: HookEvent): OutputReading {
  if (!isRecord(answer)) return no(`expected an object, got ${describe(answer)}.`);
  const output = withoutNulls(answer);
  const misplaced = output['permissionDecision'];
  if (misplaced === 'deny' || misplaced === 'ask')
    return no('permissionDecision belongs into hookSpecificOutput, beside hookEventName.');
  const misshapen = firstMisfit(output, SHAPES);
  if (misshapen !== undefined) return no(misshapen);
  if (!isRecord(output['hookSpecificOutput'])) return { ok: true, output };

  const specific = withoutNulls(output['hookSpecificOutput']);
  // There is no question, then or later: both keep the command from running.
  if (event === 'PreSkillShellCommand' && specific['permissionDecision'] === 'defer')
    specific['permissionDecision'] = 'ask';
  const { hookEventName: named, ...fields } = specific;
  if (named === undefined) return no('hookSpecificOutput names no hookEventName.');
  if (named !== event) return no(`hookSpecificOutput is for ${describe(named)}, but the event is ${event}.`);
  const own = SPECIFIC[event] ?? [];
  const foreign = Object.keys(fields).find((field) => KNOWN_SPECIFIC.has(field) && !own.includes(field));
  if (foreign !== undefined) return no(`hookSpecificOutput.${foreign} has no meaning for ${event}.`);
  const wrong = firstMisfit(specific, SPECIFIC_SHAPES) ?? requestMisfit(event, specific['decision']);
  if (wrong !== undefined) return no(`hookSpecificOutput.${wrong}`);
  return { ok: true, output: { ...output, hookSpecificOutput: { ...fields, hookEventName: event } } };
}

function firstMisfit(record: Record<string, unknown>, shapes: typeof SHAPES): string | undefined {
  for (const [field, expected, fits] of shapes) {
    const value = record[field];
    if (value !== undefined && !fits(value)) return `${field} must be ${expected}, got ${describe(value)}.`;
  }
  return undefined;
}

/** The decision of a PermissionRequest hook is an object, unlike any other decision. */
function requestMisfit(event: HookEvent, decision: unknown): string | undefined {
  if (event !== 'PermissionRequest' || decision === undefined) return undefined;
  if (isRecord(decision) && (decision['behavior'] === 'allow' || decision['behavior'] === 'deny'))
    return undefined;
  return 'decision must be { behavior: "allow" } or { behavior: "deny" }.';
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string')
    return HOOK_EVENTS.some((event) => event === value) ? value : JSON.stringify(value.slice(0, 100));
  return typeof value === 'object' ? 'an object' : String(value);
}

function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== null && value !== undefined),
  );
}

function no(problem: string): OutputReading {
  return { ok: false, problem };
}
