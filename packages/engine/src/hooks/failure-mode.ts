import type { HookEvent } from '../protocol/tools/hook.ts';

/** Events whose hooks are gates: a failed hook denies what it guards (F91). */
const GATING: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'PreSkillShellCommand',
]);

/** Events whose hooks are gates if configured so. */
const CLOSABLE: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PermissionRequest',
  'PreCompact',
  'Elicitation',
  'ElicitationResult',
]);

export function isGating(event: HookEvent): boolean {
  return GATING.has(event);
}

/**
 * Whether a failed hook denies what it guards. `continue` makes it allow; hooks of other events never deny.
 */
export function closesOnFailure(event: HookEvent, onFailure: 'continue' | 'block' | undefined): boolean {
  if (CLOSABLE.has(event)) return onFailure === 'block';
  return isGating(event) && onFailure !== 'continue';
}
