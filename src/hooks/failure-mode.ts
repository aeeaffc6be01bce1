import type { HookEvent } from '../protocol/hook.ts';

/** Events whose hooks are gates: what they guard stays shut when a hook fails (F91). */
const GATING: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'UserPromptSubmit',
  'UserPromptExpansion',
]);

/** Events whose hooks are gates when their owner says so. */
const CLOSABLE: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PermissionRequest',
  'PreCompact',
  'Elicitation',
  'ElicitationResult',
]);

export function isGating(event: HookEvent): boolean {
  return GATING.has(event);
}

/** Whether a failed hook shuts what it guards. `continue` opens a gate; an observer is never one. */
export function closesOnFailure(event: HookEvent, onFailure: 'continue' | 'block' | undefined): boolean {
  if (CLOSABLE.has(event)) return onFailure === 'block';
  return isGating(event) && onFailure !== 'continue';
}
