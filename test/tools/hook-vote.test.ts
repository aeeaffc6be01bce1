/** What a hook before a tool changes of the verdict that permissions came to. */
import { expect, it } from 'vitest';
import type { GateVerdict } from '../../src/protocol/tools/permission.ts';
import { withHookVote } from '../../src/tools/gate/hook-vote.ts';

const asks: GateVerdict = { kind: 'ask', reasonType: 'other', message: 'May it?' } as GateVerdict;

it('an allowing hook answers a question, with its reason if it has one', () => {
  expect(withHookVote(asks, { permission: 'allow', reason: 'It is harmless.' } as never)).toEqual({
    kind: 'allow',
    reasonType: 'hook',
    reason: 'It is harmless.',
  });
  expect(withHookVote(asks, { permission: 'allow' } as never)).toEqual({ kind: 'allow', reasonType: 'hook' });
});

it('an asking hook turns what is allowed into a question, which names the hook that asks', () => {
  const allowed = { kind: 'allow', reasonType: 'rule' } as GateVerdict;
  const decidedBy = 'PreToolUse:Bash';
  expect(withHookVote(allowed, { permission: 'ask', decidedBy } as never)).toMatchObject({
    kind: 'ask',
    reasonType: 'hook',
    hook: decidedBy,
  });
  expect(withHookVote(allowed, { permission: 'ask' } as never)).not.toHaveProperty('hook');
});

it('no hook opens what is denied, or asks less than the rules do', () => {
  const denied = { kind: 'deny', reasonType: 'rule', message: 'No.' } as GateVerdict;
  const byRule = { kind: 'ask', reasonType: 'rule', message: 'May it?' } as GateVerdict;
  for (const verdict of [denied, byRule])
    expect(withHookVote(verdict, { permission: 'allow' } as never)).toBe(verdict);
});

it('without a vote the verdict stays', () => {
  expect(withHookVote(asks, undefined)).toBe(asks);
});
