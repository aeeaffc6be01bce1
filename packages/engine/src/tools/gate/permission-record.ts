/** What is recorded about a permission or denial. */
import type {
  DecisionReasonType,
  GateReasonType,
  GateVerdict,
  PermissionDecision,
} from '../../protocol/tools/permission.ts';
import type { DenialNotice } from '../../protocol/tools/tool-call.ts';
import type { CallNotes } from '../outcome.ts';

/** Who decided about a call, as reported with its result. */
export function toPermissionDecision(
  { kind, reasonType }: Extract<GateVerdict, { kind: 'allow' | 'deny' }>,
  answer: CallNotes['answer'],
): PermissionDecision {
  const decision = kind === 'allow' ? 'accept' : 'reject';
  switch (reasonType) {
    case 'host':
    case 'permissionPromptTool':
      return { decision, source: answer ?? (kind === 'deny' ? 'user_reject' : 'user_temporary') };
    case 'headless':
    case 'tool':
      return { decision, source: 'config' };
    case 'hook':
      return { decision, source: 'hook', reason_type: 'hook' };
    default:
      return { decision, source: 'config', reason_type: publicReason(reasonType) };
  }
}

/**
 * What the stream reports of a denial. undefined for denials by the user, the host, or a hook before the
 * rules.
 */
export function denialNotice({ permission, asked }: CallNotes, text: string): DenialNotice | undefined {
  const source = permission?.source;
  switch (source) {
    case undefined:
    case 'host':
    case 'permissionPromptTool':
    case 'unanswered':
      return undefined;
    case 'hook':
      // A hook that answered for the user is a reason; one before the rules reports itself.
      return asked && { decision_reason_type: 'hook', decision_reason: text };
    case 'headless':
      return asked && { decision_reason_type: asked.reasonType, decision_reason: asked.message };
    case 'asyncAgent':
      return { decision_reason_type: 'asyncAgent', ...(asked && { decision_reason: asked.message }) };
    default:
      return { decision_reason_type: publicReason(source) };
  }
}

/** The value of the public protocol. */
export function publicReason(type: GateReasonType): DecisionReasonType {
  switch (type) {
    case 'host':
    case 'headless':
    case 'unanswered':
    case 'tool':
      return 'other';
    default:
      return type;
  }
}
