/** What is reported of who decided about a call. */
import { describe, expect, it } from 'vitest';
import { publicReason, toPermissionDecision } from '../../src/tools/gate/permission-record.ts';

describe('the decision about a call, as its result reports it', () => {
  it.each(['host', 'permissionPromptTool'] as const)(
    '%s: by the user, as the answer says, else once and for this call',
    (reasonType) => {
      expect(toPermissionDecision({ kind: 'allow', reasonType }, undefined)).toEqual({
        decision: 'accept',
        source: 'user_temporary',
      });
      expect(toPermissionDecision({ kind: 'deny', reasonType, message: 'No.' }, undefined)).toEqual({
        decision: 'reject',
        source: 'user_reject',
      });
      expect(toPermissionDecision({ kind: 'allow', reasonType }, 'user_permanent')).toEqual({
        decision: 'accept',
        source: 'user_permanent',
      });
    },
  );

  it.each(['headless', 'tool'] as const)('%s: by the configuration, without a reason', (reasonType) => {
    expect(toPermissionDecision({ kind: 'deny', reasonType, message: 'No.' }, undefined)).toEqual({
      decision: 'reject',
      source: 'config',
    });
  });

  it('a rule is the reason that it is called', () => {
    expect(toPermissionDecision({ kind: 'deny', reasonType: 'rule', message: 'No.' }, undefined)).toEqual({
      decision: 'reject',
      source: 'config',
      reason_type: 'rule',
    });
  });
});

it.each(['host', 'headless', 'unanswered', 'tool'] as const)(
  'the public protocol has no name for the reason "%s"',
  (type) => {
    expect(publicReason(type)).toBe('other');
  },
);
