import type { HookEvent, HookOutput, HookVerdict } from '../protocol/hook.ts';
import { isGating } from './failure-mode.ts';

/** How one hook ended. */
export type HookOutcome =
  | { readonly kind: 'answered'; readonly name: string; readonly output: HookOutput }
  | { readonly kind: 'failed'; readonly name: string; readonly problem: string; readonly closes: boolean }
  | { readonly kind: 'aborted'; readonly name: string };

type Permission = NonNullable<HookVerdict['permission']>;
const STRICTNESS: Record<Permission, number> = { allow: 0, ask: 1, deny: 2 };

/** Events that go on, or are refused, with what a blocking hook says. */
const BLOCKABLE: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'UserPromptSubmit',
  'UserPromptExpansion',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Stop',
  'SubagentStop',
  'PreCompact',
  'PreModelSwitch',
  'ConfigChange',
  'TaskCreated',
  'TaskCompleted',
  'TeammateIdle',
  'Elicitation',
  'ElicitationResult',
]);

interface Tally {
  permission?: Permission;
  reason?: string;
  updatedInput?: Record<string, unknown>;
  updatedOutput?: unknown;
  preventContinuation?: { readonly stopReason: string; readonly hookName?: string };
  readonly additionalContext: string[];
  readonly blockingErrors: string[];
  readonly systemMessages: string[];
}

/**
 * One verdict out of many, in the order of registration whatever order they ended in (F94): the strictest decision
 * holds, with the reason of the first that made it; the last rewrite holds; the first stop holds; texts add up.
 */
export function foldOutcomes(event: HookEvent, outcomes: readonly HookOutcome[]): HookVerdict {
  const tally: Tally = { additionalContext: [], blockingErrors: [], systemMessages: [] };
  for (const outcome of outcomes) {
    switch (outcome.kind) {
      case 'answered':
        addAnswer(event, outcome.output, outcome.name, tally);
        break;
      case 'failed':
        tally.systemMessages.push(`${outcome.name} hook: ${outcome.problem}`);
        if (outcome.closes)
          close(event, `The ${outcome.name} hook failed and guards this: ${outcome.problem}`, tally);
        break;
      case 'aborted':
        if (isGating(event)) close(event, `The ${outcome.name} hook was interrupted.`, tally);
        break;
    }
  }
  return tally;
}

function addAnswer(event: HookEvent, output: HookOutput, name: string, tally: Tally): void {
  const specific = output.hookSpecificOutput;
  if (output.systemMessage !== undefined) tally.systemMessages.push(output.systemMessage);
  if (output.continue === false) {
    tally.preventContinuation ??= {
      stopReason: output.stopReason ?? `Stopped by the ${name} hook.`,
      hookName: name,
    };
  }
  addDecision(event, output, name, tally);

  const permission = permissionOf(specific?.['permissionDecision']);
  if (permission !== undefined)
    decide(permission, textOf(specific?.['permissionDecisionReason']) ?? output.reason, tally);
  addRequestDecision(specific?.['decision'], tally);
  if (isRecord(specific?.['updatedInput'])) tally.updatedInput = specific['updatedInput'];
  const rewritten = specific?.['updatedToolOutput'] ?? specific?.['updatedMCPToolOutput'];
  if (rewritten !== undefined) tally.updatedOutput = rewritten;
  const context = textOf(specific?.['additionalContext']);
  // At the end of a turn, context is feedback: it reaches the model only if the loop goes on with it.
  if (context !== undefined) (isEnd(event) ? tally.blockingErrors : tally.additionalContext).push(context);
}

function addDecision(event: HookEvent, output: HookOutput, name: string, tally: Tally): void {
  if (output.decision === undefined) return;
  if (event === 'PreToolUse' || event === 'PermissionRequest') {
    decide(output.decision === 'block' ? 'deny' : 'allow', output.reason, tally);
  } else if (output.decision === 'block') {
    if (BLOCKABLE.has(event)) tally.blockingErrors.push(output.reason ?? `Blocked by the ${name} hook.`);
    else tally.systemMessages.push(`${name} hook: decision "block" has no effect on ${event}.`);
  }
}

/** PermissionRequest answers for the person: `{ behavior, updatedInput?, message? }`. */
function addRequestDecision(decision: unknown, tally: Tally): void {
  if (!isRecord(decision)) return;
  const permission = permissionOf(decision['behavior']);
  if (permission !== undefined) decide(permission, textOf(decision['message']), tally);
  if (isRecord(decision['updatedInput'])) tally.updatedInput = decision['updatedInput'];
}

function close(event: HookEvent, reason: string, tally: Tally): void {
  if (event === 'PreToolUse') decide('deny', reason, tally);
  else tally.blockingErrors.push(reason);
}

function decide(permission: Permission, reason: string | undefined, tally: Tally): void {
  if (tally.permission !== undefined && STRICTNESS[permission] <= STRICTNESS[tally.permission]) return;
  tally.permission = permission;
  if (reason === undefined) delete tally.reason;
  else tally.reason = reason;
}

function isEnd(event: HookEvent): boolean {
  return event === 'Stop' || event === 'SubagentStop';
}

function permissionOf(value: unknown): Permission | undefined {
  return value === 'allow' || value === 'deny' || value === 'ask' ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
