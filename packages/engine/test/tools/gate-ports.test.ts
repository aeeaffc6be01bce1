/** What the gate tells hooks, rules, hosts and the journal about a call, whole, and what it keeps of their answers. */

import {
  answerOf,
  callOf,
  contextIn,
  drain,
  executorOf,
  gateOf,
  hooksOf,
  once,
  resultsOf,
  toolOf,
} from '@turnwright/test/tools/support.ts';
import { virtualClock } from '@turnwright/testing';
import { describe, expect, test } from 'vitest';
import type { RepeatGuard } from '../../src/protocol/tools/gate-ports.ts';
import type { HookVerdict } from '../../src/protocol/tools/hook.ts';
import type { GateVerdict } from '../../src/protocol/tools/permission.ts';
import type { AnyTool } from '../../src/protocol/tools/tool.ts';
import { createRepeatGuard } from '../../src/tools/gate/repeat-guard.ts';

/** A clock on which each look takes 2 ms. */
function ticking() {
  let now = 1_000;
  return { ...virtualClock(), monotonicMs: () => (now += 2) };
}

const reads = (parts: Partial<AnyTool> = {}) =>
  toolOf('Look', {
    pathFields: ['path'],
    run: async () => ({ data: { found: 1 }, content: 'seen' }),
    ...parts,
  });

/** One call of a tool in /work, with everything that hooks were told. */
async function call(
  parts: {
    readonly tool?: AnyTool;
    readonly verdict?: GateVerdict;
    readonly hooks?: Readonly<Record<string, Partial<HookVerdict>>>;
    readonly gate?: Parameters<typeof gateOf>[0];
  } = {},
) {
  const told: unknown[] = [];
  const asked: unknown[] = [];
  const handlers = Object.entries(parts.hooks ?? {}).map(([event, verdict]) => [
    event,
    (given: object) => {
      told.push(given);
      return verdict;
    },
  ]);
  const gate = gateOf({
    decide: (question) => {
      asked.push(question);
      return parts.verdict ?? { kind: 'allow', reasonType: 'mode' };
    },
    hooks: hooksOf(Object.fromEntries(handlers)),
    ...parts.gate,
  });
  const executor = executorOf([parts.tool ?? reads()], {
    gate,
    clock: ticking(),
    makeContext: ({ block }, { signal }) =>
      contextIn('/work', { signal, toolUseId: block.id, root: '/', agentId: 'agent-1' }),
  });
  const block = { type: 'tool_use', id: 'a', name: 'Look', input: { path: 'b/c' } } as const;
  const result = await once(executor, { ...callOf('Look'), block });
  return { result, told, asked };
}

const about = { tool_name: 'Look', tool_input: { path: '/work/b/c' }, tool_use_id: 'a' };

describe('hooks hear of a call, with absolute paths', () => {
  test('before it and after it; rules see the input as it was written', async () => {
    const { told, asked, result } = await call({
      hooks: {
        PreToolUse: { additionalContext: ['before'] },
        PostToolUse: { additionalContext: ['after'], blockingErrors: ['but'] },
      },
    });
    expect(told).toEqual([
      { event: 'PreToolUse', ...about },
      { event: 'PostToolUse', ...about, tool_response: { found: 1 }, duration_ms: expect.any(Number) },
    ]);
    const { duration_ms } = told[1] as { duration_ms: number };
    expect(duration_ms).toBeGreaterThan(0);
    expect(duration_ms).toBeLessThan(1_000);
    expect(asked).toEqual([
      {
        tool: expect.objectContaining({ name: 'Look' }),
        input: { path: 'b/c' },
        toolUseId: 'a',
        cwd: '/work',
        root: '/',
        additionalDirectories: [],
        agentId: 'agent-1',
      },
    ]);
    expect(result.hookContext).toEqual(['before', 'after', 'but']);
  });

  test.each([
    [
      'fails',
      {
        data: 1,
        content: [
          { type: 'text', text: 'no' },
          { type: 'text', text: 'way' },
        ],
        isError: true,
      },
      'no\nway',
    ],
    ['fails without a word', { data: 1, content: ' ', isError: true }, ''],
  ])('after one that %s', async (_, output, error) => {
    const { told } = await call({
      tool: reads({ run: async () => output as never }),
      hooks: { PostToolUseFailure: {}, PostToolUse: {} },
    });
    expect(told).toEqual([
      { event: 'PostToolUseFailure', ...about, error, is_interrupt: false, duration_ms: expect.any(Number) },
    ]);
  });

  test('after a denial, which may be tried again if one of them says so', async () => {
    const verdict = { kind: 'deny', reasonType: 'rule', message: 'Not here.' } as const;
    const { told, result } = await call({
      verdict,
      hooks: { PermissionDenied: { retry: true, additionalContext: ['why'] } },
    });
    expect(told).toEqual([{ event: 'PermissionDenied', ...about, reason: 'Not here.' }]);
    expect(result.hookContext).toEqual(['why', 'A hook says that the denied Look call may be tried again.']);
    expect(result.denial?.tool_input).toEqual({ path: '/work/b/c' });
    expect((await call({ verdict, hooks: { PermissionDenied: {} } })).result.hookContext).toEqual([]);
    // The user who answered knows of it.
    const gate = { ask: async () => ({ behavior: 'deny', message: 'No.' }) as const };
    const ask = { kind: 'ask', reasonType: 'mode', message: '?' } as const;
    expect((await call({ verdict: ask, gate, hooks: { PermissionDenied: {} } })).told).toEqual([]);
  });

  test('none is run that does not listen', async () => {
    const { result } = await call({
      gate: {
        hooks: {
          has: () => false,
          run: async () => {
            throw new Error('asked');
          },
        },
      },
    });
    expect(answerOf(result)).toMatchObject({ text: 'seen', isError: false });
    const verdict = { kind: 'deny', reasonType: 'rule', message: 'Not here.' } as const;
    const hooks = { has: () => false, run: () => Promise.reject(new Error('asked')) };
    expect(answerOf((await call({ verdict, gate: { hooks } })).result).text).toBe('Not here.');
  });

  test('an input that one of them rewrites passes the check of the tool again', async () => {
    const tool = reads({
      validateInput: async ({ path }: { path: string }) =>
        path === 'd' ? { ok: false, message: 'Not d.' } : { ok: true },
    });
    const { result } = await call({ tool, hooks: { PreToolUse: { updatedInput: { path: 'd' } } } });
    expect(answerOf(result)).toMatchObject({ text: expect.stringContaining('Not d.'), isError: true });
  });

  test.each([
    [{ permission: 'deny', reason: 'policy', blockingErrors: ['other'] }, 'policy'],
    [{ permission: 'deny', blockingErrors: ['blocked'] }, 'blocked'],
    [{ permission: 'deny' }, 'the call was denied'],
    [{ reason: 'policy', blockingErrors: ['blocked'] }, 'blocked'],
    [{ preventContinuation: { stopReason: 'enough' } }, 'enough'],
  ] as const)('one that answers %j before the call denies it', async (verdict, reason) => {
    const { result, asked } = await call({
      hooks: { PreToolUse: verdict as Partial<HookVerdict>, PermissionDenied: {} },
    });
    expect(answerOf(result)).toMatchObject({ text: `PreToolUse:Look hook error: ${reason}`, isError: true });
    expect(result.trace.permission).toEqual({ verdict: 'deny', source: 'hook' });
    expect(asked).toEqual([]);
  });
});

describe('a tool that runs knows the files that its permission judged', () => {
  const first = [{ spelled: '/work/b/c', real: '/work/b/c' }];
  const second = [{ spelled: '/work/d', real: undefined }];
  const allow = (judged?: typeof first | typeof second) =>
    ({ kind: 'allow', reasonType: 'mode', ...(judged && { judged }) }) as const;
  const ask = { kind: 'ask', reasonType: 'mode', message: '?', judged: first } as const;

  test.each([
    ['allowed by a rule', [allow(first)], undefined, first],
    ['allowed without a judgement', [allow()], undefined, undefined],
    ['approved by the host', [ask], undefined, first],
    ['approved with another input, which is judged again', [ask, allow(second)], { path: 'd' }, second],
    ['approved with another input, which has none', [ask, allow()], { path: 'd' }, undefined],
  ] as const)('%s', async (_, verdicts, updatedInput, expected) => {
    const left = [...verdicts];
    let judged: unknown = 'it did not run';
    const tool = reads({
      run: async (_input, context) => {
        ({ judged } = context);
        return { data: 1, content: 'seen' };
      },
    });
    await call({
      tool,
      gate: {
        permissions: { decide: () => left.shift() as GateVerdict },
        ask: async () => ({ behavior: 'allow', ...(updatedInput && { updatedInput }) }),
      } as Parameters<typeof gateOf>[0],
    });
    expect(judged).toEqual(expected);
  });
});

describe('a host is asked', () => {
  const suggestions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] as const;
  const matched = { source: 'session', value: { toolName: 'Look', ruleContent: '*' } } as const;
  const verdict = {
    kind: 'ask',
    reasonType: 'rule',
    message: 'May it?',
    matched,
    suggestions,
    blockedPath: '/work/b',
    hook: 'PreToolUse:Look',
  } as unknown as GateVerdict;

  test('with all that is known, and the time that it takes is recorded', async () => {
    const questions: unknown[] = [];
    const { result } = await call({
      verdict,
      gate: {
        ask: async (question) => {
          questions.push(question);
          return { behavior: 'allow', decisionClassification: 'user_permanent' };
        },
      },
    });
    expect(questions).toEqual([
      expect.objectContaining({
        input: { path: '/work/b/c' },
        toolUseId: 'a',
        cwd: '/work',
        reasonType: 'rule',
        message: 'May it?',
        matched,
        suggestions,
        blockedPath: '/work/b',
        hook: 'PreToolUse:Look',
      }),
    ]);
    expect(result.trace.permission).toEqual({
      verdict: 'allow',
      source: 'host',
      askedMs: expect.any(Number),
    });
    expect(result.trace.permission?.askedMs).toBeGreaterThan(0);
    expect(result.trace.permission?.askedMs).toBeLessThan(20);
  });

  test('without what is not known', async () => {
    const questions: object[] = [];
    await call({
      verdict: { kind: 'ask', reasonType: 'mode', message: 'May it?' },
      gate: {
        ask: async (question) => {
          questions.push(question);
          return { behavior: 'deny', message: 'No.' };
        },
      },
    });
    expect(questions.flatMap(Object.keys).sort()).toEqual(
      'additionalDirectories agentId cwd input message reasonType root tool toolUseId'.split(' '),
    );
  });

  test('a rule that decided is recorded as it is written in settings', async () => {
    const denied = await call({
      verdict: { kind: 'deny', reasonType: 'rule', message: 'No.', matched } as GateVerdict,
    });
    expect(denied.result.trace.permission).toEqual({
      verdict: 'deny',
      source: 'rule',
      rule: 'Look(*)',
      ruleSource: 'session',
    });
    const whole = { ...matched, value: { toolName: 'Look' } };
    const allowed = await call({
      verdict: { kind: 'allow', reasonType: 'rule', matched: whole } as GateVerdict,
    });
    expect(allowed.result.trace.permission).toMatchObject({ verdict: 'allow', rule: 'Look' });
  });
});

describe('what a tool does wrong counts against the call, not for it', () => {
  const broken = (): never => {
    throw new Error('boom');
  };

  test('rules that throw at once deny', async () => {
    const { result } = await call({ gate: { permissions: { decide: broken } } as never });
    expect(answerOf(result)).toMatchObject({
      text: 'Permission for Look could not be decided: boom',
      isError: true,
    });
  });

  test.each<[object, string, boolean]>([
    [{}, 'unsafe', false],
    [{ effectClass: () => 'idempotent', isReadOnly: () => true }, 'idempotent', true],
    [{ effectClass: broken, isReadOnly: broken }, 'unsafe', false],
    [{ isReadOnly: () => 'yes' }, 'unsafe', false],
  ])('%j is recorded as %s', async (parts, effect, readOnly) => {
    const recorded: unknown[] = [];
    const noted: unknown[] = [];
    const repeats: RepeatGuard = {
      refusal: () => undefined,
      note: (...given) => {
        noted.push(given);
        return 'Again?';
      },
    };
    const { result } = await call({
      tool: reads(parts as Partial<AnyTool>),
      gate: { repeats, recordIntent: async (_, ...given) => void recorded.push(given) },
    });
    expect(recorded).toEqual([[effect]]);
    expect(noted).toEqual([['Look', { path: 'b/c' }, { data: { found: 1 }, content: 'seen' }, readOnly]]);
    expect(result.hookContext).toEqual(['Again?']);
  });

  test('a call that may run beside others is one whose tool says so', async () => {
    const order: string[] = [];
    const beside = (name: string, isConcurrencySafe: AnyTool['isConcurrencySafe']) =>
      toolOf(name, {
        ...(isConcurrencySafe && { isConcurrencySafe }),
        run: async () => {
          order.push(`${name} begins`);
          await new Promise<void>((resolve) => setImmediate(resolve));
          order.push(`${name} ends`);
          return { data: null, content: name };
        },
      });
    const executor = executorOf([
      beside('A', () => true),
      beside('B', () => true),
      beside('C', broken),
      beside('D', () => 'yes' as never),
    ]);
    for (const name of ['A', 'B', 'C', 'D']) executor.add(callOf(name));
    expect(resultsOf(await drain(executor))).toHaveLength(4);
    expect(order).toEqual([
      'A begins',
      'B begins',
      'A ends',
      'B ends',
      'C begins',
      'C ends',
      'D begins',
      'D ends',
    ]);
  });
});

describe('F150 the guard against repeated calls', () => {
  const output = (content: unknown) => ({ data: null, content }) as never;

  test('forgets the call that was made longest ago when it tracks a hundred others', () => {
    const guard = createRepeatGuard({ nudgeAt: 2 });
    const note = (n: number) => guard.note('Look', { n }, output('x'), true);
    for (let n = 0; n <= 100; n++) expect(note(n)).toBeUndefined();
    expect(note(0)).toBeUndefined();
    expect(note(100)).toMatch(/^Look was called 2 times with this same input/);
    expect(note(2)).toMatch(/2 times/);
    expect(note(1)).toBeUndefined();
  });

  test('counts calls without an input, too', () => {
    const guard = createRepeatGuard({ nudgeAt: 2 });
    expect(guard.note('Look', undefined, output('x'), true)).toBeUndefined();
    expect(guard.note('Look', undefined, output('x'), true)).toMatch(/^Look was called 2 times/);
  });

  test('keeps a call that is made again, however long ago it was made first', () => {
    const guard = createRepeatGuard({ nudgeAt: 3 });
    const note = (n: number) => guard.note('Look', { n }, output('x'), true);
    for (let n = 0; n < 100; n++) note(n);
    note(0);
    for (let n = 100; n < 199; n++) note(n);
    expect(note(0)).toMatch(/^Look was called 3 times/);
  });

  test('is reminded at each doubling, and a call that changes something is progress', () => {
    const guard = createRepeatGuard({ nudgeAt: 3, refuseAt: 5 });
    const times = Array.from({ length: 13 }, (_, n) => guard.note('Look', {}, output('x'), true) && n + 1);
    expect(times.filter(Boolean)).toEqual([3, 6, 12]);
    expect(guard.refusal('Look', {})).toMatch(/made 13 times/);
    expect(guard.refusal('Look', { other: 1 })).toBeUndefined();
    guard.note('Write', {}, output('y'), false);
    expect(guard.refusal('Look', {})).toBeUndefined();
    for (let n = 0; n < 3; n++) guard.note('Look', {}, output('x'), true);
    expect(guard.refusal('Look', {})).toBeUndefined();
    guard.note('Look', {}, output('x'), true);
    expect(guard.refusal('Look', {})).toMatch(/made 4 times/);
    expect(createRepeatGuard().refusal('Look', {})).toBeUndefined();
  });

  test('tells results apart wherever they differ', () => {
    const long = 'x'.repeat(300_000);
    const parts = (text: string, data: string) => [
      { type: 'text', text },
      { type: 'image', data },
    ];
    for (const [one, other] of [
      ['a', 'b'],
      [`${long}a${'y'.repeat(300)}`, `${long}b${'y'.repeat(300)}`],
      [long + long, `${long + long}x`],
      [`a${long}${long}`, `b${long}${long}`],
      [`${long}${long}a`, `${long}${long}b`],
      [parts('a', 'c'), parts('b', 'c')],
      [parts('a', 'c'), parts('a', 'd')],
    ]) {
      const guard = createRepeatGuard({ nudgeAt: 2 });
      guard.note('Look', {}, output(one), true);
      expect(guard.note('Look', {}, output(other), true)).toBeUndefined();
      expect(guard.note('Look', {}, output(other), true)).toMatch(/2 times/);
    }
  });
});
