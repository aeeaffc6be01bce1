/** What is recorded of a permission that was given or denied. */
import type { GateVerdict, PermissionDecision, PermissionRuleValue } from '../protocol/permission.ts';

/** Who decided on a call, as clients are told. */
export function decisionOf(
  { kind, reasonType }: Extract<GateVerdict, { kind: 'allow' | 'deny' }>,
  answer: PermissionDecision['source'] | undefined,
): PermissionDecision {
  const decision = kind === 'allow' ? 'accept' : 'reject';
  switch (reasonType) {
    case 'host':
    case 'permissionPromptTool':
      return { decision, source: kind === 'deny' ? 'user_reject' : (answer ?? 'user_temporary') };
    case 'headless':
      return { decision, source: 'config' };
    case 'unanswered':
      return { decision, source: 'config', reason_type: 'other' };
    case 'hook':
      return { decision, source: 'hook', reason_type: 'hook' };
    default:
      return { decision, source: 'config', reason_type: reasonType };
  }
}

/** As rules are written in settings. */
export function ruleText({ toolName, ruleContent }: PermissionRuleValue): string {
  return ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
}
