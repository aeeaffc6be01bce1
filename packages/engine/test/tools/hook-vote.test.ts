/** What a hook before a tool changes of the verdict that permissions came to. */
import { expect, it } from 'vitest';
import type { HookVerdict } from '../../src/protocol/tools/hook.ts';
import type { GateVerdict } from '../../src/protocol/tools/permission.ts';
import { withHookVote } from '../../src/tools/gate/hook-vote.ts';

const asks: GateVerdict = { kind: 'ask', reasonType: 'other', message: 'May it?' };

const vote = (said: Partial<HookVerdict>): HookVerdict => ({
  additionalContext: [],
  blockingErrors: [],
  ...said,
});

it('an allowing hook answers a question, with its reason if it has one', () => {
  expect(withHookVote(asks, vote({ permission: 'allow', reason: 'It is harmless.' }))).toEqual({
    kind: 'allow',
    reasonType: 'hook',
    reason: 'It is harmless.',
  });
  expect(withHookVote(asks, vote({ permission: 'allow' }))).toEqual({ kind: 'allow', reasonType: 'hook' });
});

it('an asking hook turns what is allowed into a question, which names the hook that asks', () => {
  const allowed = { kind: 'allow', reasonType: 'rule' } satisfies GateVerdict;
  const decidedBy = 'PreToolUse:Bash';
  expect(withHookVote(allowed, vote({ permission: 'ask', decidedBy }))).toMatchObject({
    kind: 'ask',
    reasonType: 'hook',
    hook: decidedBy,
  });
  expect(withHookVote(allowed, vote({ permission: 'ask' }))).not.toHaveProperty('hook');
});

it('no hook opens what is denied, or asks less than the rules do', () => {
  const denied = { kind: 'deny', reasonType: 'rule', message: 'No.' } satisfies GateVerdict;
  const byRule = { kind: 'ask', reasonType: 'rule', message: 'May it?' } satisfies GateVerdict;
  for (const verdict of [denied, byRule])
    expect(withHookVote(verdict, vote({ permission: 'allow' }))).toBe(verdict);
});

it('without a vote the verdict stays', () => {
  expect(withHookVote(asks, undefined)).toBe(asks);
});
