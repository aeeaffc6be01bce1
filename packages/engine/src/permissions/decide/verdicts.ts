/** What a decision about a call may be, and how those that a rule makes are written. */

import type { GateVerdict, MatchedRule } from '../../protocol/tools/permission.ts';
import { formatRule } from '../../protocol/tools/permission.ts';
import type { PermissionRule } from '../rules/permission-rule.ts';
import type { AllowOrAsk } from './judged-places.ts';

export type Ask = Extract<GateVerdict, { kind: 'ask' }>;
export type Deny = Extract<GateVerdict, { kind: 'deny' }>;
export type PermissionVerdict = AllowOrAsk | Deny;

export function allowedBy(rules: readonly PermissionRule[]): Extract<GateVerdict, { kind: 'allow' }> {
  const [first] = rules;
  return {
    kind: 'allow',
    reasonType: 'rule',
    reason: rules.map(({ value }) => formatRule(value)).join(', '),
    ...(first !== undefined && { matched: toMatchedRule(first) }),
  };
}

export function toMatchedRule({ source, value }: PermissionRule): MatchedRule {
  return { source, value };
}

export function deny(
  reasonType: 'rule' | 'mode' | 'workingDir',
  message: string,
  rule?: PermissionRule,
): Deny {
  return {
    kind: 'deny',
    reasonType,
    message,
    ...(rule === undefined ? {} : { matched: toMatchedRule(rule) }),
  };
}
