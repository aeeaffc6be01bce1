/** What PreToolUse hooks say about a call, beside the rules. */
import type { PermissionQuestion } from '../../protocol/tools/gate-ports.ts';
import type { HookVerdict } from '../../protocol/tools/hook.ts';
import type { GateReasonType, GateVerdict } from '../../protocol/tools/permission.ts';

/** Questions that a hook's `allow` cannot answer: they were explicitly configured. */
const ASKED_REGARDLESS: ReadonlySet<GateReasonType> = new Set(['rule', 'mode', 'safetyCheck', 'tool']);

export const toHookVote = (
  hook: HookVerdict | undefined,
): Pick<PermissionQuestion, 'hookAsks' | 'hookName'> =>
  hook?.permission === 'ask'
    ? {
        hookAsks: hook.reason ?? 'A hook wants this call to be confirmed.',
        hookName: hook.decidedBy,
      }
    : {};

/**
 * Where the rules leave a call open, or allow it, the hook decides; deny and explicit ask rules take
 * precedence.
 */
export function withHookVote(verdict: GateVerdict, hook: HookVerdict | undefined): GateVerdict {
  const isOpen =
    verdict.kind === 'allow' || (verdict.kind === 'ask' && !ASKED_REGARDLESS.has(verdict.reasonType));
  if (!isOpen) return verdict;
  switch (hook?.permission) {
    case 'ask':
      return {
        kind: 'ask',
        reasonType: 'hook',
        message: toHookVote(hook).hookAsks ?? '',
        ...(hook.decidedBy !== undefined && { hook: hook.decidedBy }),
      };
    case 'allow':
      return {
        kind: 'allow',
        reasonType: 'hook',
        ...(hook.reason !== undefined && { reason: hook.reason }),
        // What the rules have the call leave out stays left out.
        ...(verdict.kind === 'allow' &&
          verdict.updatedInput !== undefined && { updatedInput: verdict.updatedInput }),
        ...(verdict.kind === 'allow' && verdict.note !== undefined && { note: verdict.note }),
      };
    default:
      return verdict;
  }
}
