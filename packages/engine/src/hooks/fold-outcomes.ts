import { isRecord } from '@turnwright/base/json-values.ts';
import type { ElicitationAction, HookEvent, HookVerdict } from '../protocol/tools/hook.ts';
import type { HookOutput } from '../protocol/tools/hook-callback.ts';
import { closesOnFailure, isGating } from './failure-mode.ts';
import type { RegisteredHook } from './registered-hook.ts';

export type HookOutcome =
  | { readonly kind: 'answered'; readonly name: string; readonly output: HookOutput }
  /** Exit code 2. */
  | { readonly kind: 'blocked'; readonly name: string; readonly reason: string }
  /** Another exit code: shown, without further effect. */
  | { readonly kind: 'complained'; readonly name: string; readonly problem: string }
  | {
      readonly kind: 'failed';
      readonly name: string;
      readonly problem: string;
      readonly closes: boolean;
      /** A callback of the host, in contrast to commands, URLs and tools. */
      readonly isCallback?: boolean;
    }
  | { readonly kind: 'aborted'; readonly name: string };

type Permission = NonNullable<HookVerdict['permission']>;
const STRICTNESS: Record<Permission, number> = { allow: 0, ask: 1, deny: 2 };
const RESERVE: Record<ElicitationAction, number> = { accept: 0, cancel: 1, decline: 2 };

/** Events where the text of a blocking hook continues or blocks the run. */
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
  'TaskCreated',
  'TaskCompleted',
  'TeammateIdle',
  'Elicitation',
  'ElicitationResult',
]);

/** A message for the user. */
export interface HookNotice {
  readonly level: 'notice' | 'warning';
  readonly text: string;
  readonly tag?: 'hook_callback_failed';
}

interface Folded {
  readonly verdict: HookVerdict;
  readonly notices: readonly HookNotice[];
}

interface Tally {
  permission?: Permission;
  reason?: string;
  decidedBy?: string;
  updatedInput?: Record<string, unknown>;
  updatedOutput?: unknown;
  preventContinuation?: { readonly stopReason: string; readonly hookName?: string };
  updatedPermissions?: unknown;
  interrupt?: boolean;
  retry?: boolean;
  initialUserMessage?: string;
  sessionTitle?: string;
  suppressOriginalPrompt?: boolean;
  reloadSkills?: boolean;
  displayContent?: string;
  elicitation?: NonNullable<HookVerdict['elicitation']>;
  readonly additionalContext: string[];
  readonly blockingErrors: string[];
}

/**
 * Combines outcomes in registration order, independent of the order in which the hooks ended (F94): the
 * strictest decision wins, with the reason of the first hook that made it; the last rewrite wins; the first
 * stop wins; texts are collected.
 */
export function foldOutcomes(event: HookEvent, outcomes: readonly HookOutcome[]): Folded {
  const verdict: Tally = { additionalContext: [], blockingErrors: [] };
  const notices: HookNotice[] = [];
  const warn = (text: string) => notices.push({ level: 'warning', text });
  for (const outcome of outcomes) {
    const { name } = outcome;
    switch (outcome.kind) {
      case 'answered':
        addAnswer(event, outcome.output, name, verdict);
        if (outcome.output.systemMessage !== undefined)
          notices.push({ level: 'notice', text: outcome.output.systemMessage });
        if (outcome.output.decision === 'block' && !isBlockable(event))
          warn(`${name} hook: decision "block" has no effect on ${event}.`);
        break;
      case 'blocked':
        if (isBlockable(event)) block(event, outcome.reason, name, verdict);
        else warn(`${name} hook: ${outcome.reason || `exit code 2 has no effect on ${event}.`}`);
        break;
      case 'complained':
        warn(`${name} hook: ${outcome.problem}`);
        break;
      case 'failed':
        notices.push({
          level: 'warning',
          text: `${name} hook: ${outcome.problem}`,
          ...(outcome.isCallback === true && { tag: 'hook_callback_failed' }),
        });
        if (outcome.closes)
          block(event, `The ${name} hook failed and guards this: ${outcome.problem}`, name, verdict);
        break;
      case 'aborted':
        if (isGating(event)) block(event, `The ${name} hook was interrupted.`, name, verdict);
        break;
    }
  }
  // Rules are only valid with an allow, an interrupt only with a deny.
  if (verdict.permission !== 'allow') delete verdict.updatedPermissions;
  if (verdict.permission !== 'deny') delete verdict.interrupt;
  return { verdict, notices };
}

function addAnswer(event: HookEvent, output: HookOutput, name: string, tally: Tally): void {
  const specific = output.hookSpecificOutput;
  if (output.continue === false) {
    tally.preventContinuation ??= {
      stopReason: output.stopReason ?? `Stopped by the ${name} hook.`,
      hookName: name,
    };
  }
  addDecision(event, output, name, tally);

  const permission = readPermission(specific?.['permissionDecision']);
  if (permission !== undefined)
    decide(permission, readText(specific?.['permissionDecisionReason']) ?? output.reason, name, tally);
  addRequestDecision(specific?.['decision'], name, tally);
  if (isRecord(specific?.['updatedInput'])) tally.updatedInput = specific['updatedInput'];
  const rewritten = specific?.['updatedToolOutput'] ?? specific?.['updatedMCPToolOutput'];
  if (rewritten !== undefined) tally.updatedOutput = rewritten;
  if (specific?.['retry'] === true) tally.retry = true;
  const first = readText(specific?.['initialUserMessage']);
  if (first !== undefined) tally.initialUserMessage ??= first;
  const title = readText(specific?.['sessionTitle']);
  if (title !== undefined) tally.sessionTitle = title;
  if (specific?.['suppressOriginalPrompt'] === true) tally.suppressOriginalPrompt = true;
  if (specific?.['reloadSkills'] === true) tally.reloadSkills = true;
  const display = specific?.['displayContent'];
  if (typeof display === 'string') tally.displayContent = display;
  addElicitation(specific, tally);
  const context = readText(specific?.['additionalContext']);
  if (context !== undefined) tally.additionalContext.push(context);
}

function addDecision(event: HookEvent, output: HookOutput, name: string, tally: Tally): void {
  if (output.decision === 'block' && isBlockable(event)) block(event, output.reason ?? '', name, tally);
  if (output.decision === 'approve' && isPermission(event)) decide('allow', output.reason, name, tally);
}

function block(event: HookEvent, reason: string, name: string, tally: Tally): void {
  const text = reason === '' ? `Blocked by the ${name} hook.` : reason;
  if (isPermission(event)) decide('deny', text, name, tally);
  else tally.blockingErrors.push(text);
}

/** Events whose hooks decide about a call. */
function isPermission(event: HookEvent): boolean {
  return event === 'PreToolUse' || event === 'PermissionRequest' || event === 'PreSkillShellCommand';
}

function isBlockable(event: HookEvent): boolean {
  return isPermission(event) || BLOCKABLE.has(event);
}

/** PermissionRequest answers for the user: `{ behavior, updatedInput?, message? }`. */
function addRequestDecision(decision: unknown, name: string, tally: Tally): void {
  if (!isRecord(decision)) return;
  const permission = readPermission(decision['behavior']);
  if (permission !== undefined) decide(permission, readText(decision['message']), name, tally);
  if (isRecord(decision['updatedInput'])) tally.updatedInput = decision['updatedInput'];
  if (Array.isArray(decision['updatedPermissions'])) {
    const before = Array.isArray(tally.updatedPermissions) ? tally.updatedPermissions : [];
    tally.updatedPermissions = [...before, ...decision['updatedPermissions']];
  }
  if (decision['interrupt'] === true) tally.interrupt = true;
}

/** The most restrictive answer wins, and among equal ones the last. */
function addElicitation(specific: HookOutput['hookSpecificOutput'], tally: Tally): void {
  const { action: known, content: filled } = tally.elicitation ?? {};
  const action = specific?.['action'] as ElicitationAction | undefined;
  const content = specific?.['content'] as Record<string, unknown> | undefined;
  if (action === undefined && content === undefined) return;
  if (action !== undefined && known !== undefined && RESERVE[action] < RESERVE[known]) return;
  const [settled, given] = [action ?? known, content ?? filled];
  tally.elicitation = {
    ...(settled !== undefined && { action: settled }),
    ...(given !== undefined && { content: given }),
  };
}

function decide(permission: Permission, reason: string | undefined, name: string, tally: Tally): void {
  if (tally.permission !== undefined && STRICTNESS[permission] <= STRICTNESS[tally.permission]) return;
  tally.permission = permission;
  tally.decidedBy = name;
  if (reason === undefined) delete tally.reason;
  else tally.reason = reason;
}

function readPermission(value: unknown): Permission | undefined {
  return value === 'allow' || value === 'deny' || value === 'ask' ? value : undefined;
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function failedHook(
  { event, name, onFailure, listing }: RegisteredHook,
  problem: string,
): HookOutcome {
  const closes = closesOnFailure(event, onFailure);
  return { kind: 'failed', name, problem, closes, ...(listing.type === 'callback' && { isCallback: true }) };
}
