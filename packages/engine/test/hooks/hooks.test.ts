import { sequentialIds, virtualClock } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { compileMatcher, matchesNothing } from '../../src/hooks/compile-matcher.ts';
import { createHooks } from '../../src/hooks/hook-runner.ts';
import type { RegisteredHook } from '../../src/hooks/registered-hook.ts';
import type { SystemBody } from '../../src/protocol/model/messages.ts';
import { type HookCall, type HookEvent, NO_HOOK_VERDICT } from '../../src/protocol/tools/hook.ts';
import type { HookCallback, HookCallbackMatcher } from '../../src/protocol/tools/hook-callback.ts';

const base = () => ({ session_id: 's', transcript_path: '/t', cwd: '/proj' });
const live = () => new AbortController().signal;

const CALLS = {
  PreToolUse: {
    event: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_use_id: 'toolu_1',
  },
  PostToolUse: {
    event: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: {},
    tool_response: 'x',
    tool_use_id: 'toolu_1',
    duration_ms: 1,
  },
  UserPromptSubmit: { event: 'UserPromptSubmit', prompt: 'hi' },
  PermissionRequest: { event: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'ls' } },
  Stop: { event: 'Stop', stop_hook_active: false },
  SessionStart: { event: 'SessionStart', source: 'startup' },
} as const satisfies Partial<Record<HookEvent, HookCall>>;

function hooksOf(event: HookEvent, matchers: readonly HookCallbackMatcher[], clock = virtualClock()) {
  const told: string[] = [];
  const show = (body: SystemBody) => told.push('content' in body ? body.content : body.subtype);
  const hooks = createHooks({ matchers: { [event]: matchers }, base, clock, ids: sequentialIds(), show });
  /** `told`: what the person was told. */
  return Object.assign(hooks, { told });
}

/** Runs callbacks of one event, each under a matcher of its own. */
function run(
  event: keyof typeof CALLS,
  callbacks: readonly HookCallback[],
  options: Partial<HookCallbackMatcher> = {},
) {
  return telling(event, callbacks, options).then(({ verdict }) => verdict);
}
async function telling(
  event: keyof typeof CALLS,
  callbacks: readonly HookCallback[],
  options: Partial<HookCallbackMatcher> = {},
) {
  const hooks = hooksOf(
    event,
    callbacks.map((hook) => ({ hooks: [hook], ...options })),
  );
  return {
    verdict: await hooks.run(CALLS[event], { signal: live(), toolUseId: 'toolu_1' }),
    told: hooks.told,
  };
}
const answer =
  (output: unknown): HookCallback =>
  async () =>
    output as Awaited<ReturnType<HookCallback>>;
/** A hook without an opinion that writes down what it was called with. */
const writing =
  (seen: unknown[], pick: (...call: Parameters<HookCallback>) => unknown = (...call) => call): HookCallback =>
  async (...call) => {
    seen.push(pick(...call));
    return {};
  };
const pre = (fields: object) => answer({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } });

describe('the input of a hook', () => {
  it('base fields, the call, its name and id', async () => {
    const seen: unknown[] = [];
    await run('PreToolUse', [writing(seen)]);
    expect(seen).toEqual([
      [
        {
          ...base(),
          hook_event_name: 'PreToolUse',
          tool_name: 'Bash',
          tool_input: { command: 'ls' },
          tool_use_id: 'toolu_1',
        },
        'toolu_1',
        { signal: expect.any(AbortSignal) },
      ],
    ]);
  });

  it('an input of its own: its changes affect no other hook', async () => {
    const seen: unknown[] = [];
    await run('PreToolUse', [
      async (input) => {
        (input['tool_input'] as Record<string, unknown>)['command'] = 'rm -rf /';
        return {};
      },
      writing(seen, (input) => input['tool_input']),
    ]);
    expect(seen).toEqual([{ command: 'ls' }]);
    expect(CALLS.PreToolUse.tool_input).toEqual({ command: 'ls' });
  });
});

describe('matchers', () => {
  it.each([
    [null, 'Bash', true],
    [undefined, 'Bash', true],
    ['', 'Bash', true],
    ['*', 'Bash', true],
    ['Bash', 'Bash', true],
    ['Bash', 'BashOutput', false],
    ['Edit|Bash', 'Bash', true],
    ['Edit|Write', 'Bash', false],
    ['mcp__my-server__x', 'mcp__my-server__x', true],
    ['mcp__.*__write', 'mcp__fs__write', true],
    ['^Ba', 'Bash', true],
    ['^ash', 'Bash', false],
    ['bash', 'Bash', false],
    ['Edit,Write', 'Write', true],
    ['Edit , Write', 'Write', true],
    [' Bash ', 'Bash', true],
    ['\tBash\n', 'Bash', true],
    ['Bash | Write', 'Write', true],
    ['Bash|', 'Bash', true],
    ['Bash|', 'Write', false],
    ['|Bash', 'Write', false],
    ['Bash||Write', 'Edit', false],
    ['Bash,Write,', 'Write', true],
    [',', 'Bash', false],
    ['|', 'Bash', false],
    [' ', 'Bash', false],
    ['Ba', 'Bash', false],
    ['Bash Write', 'Bash', false],
    ['mcp__k', 'mcp__k__t', false],
    ['mcp__k__.*', 'mcp__k__t', true],
    ['mcp__k__*', 'mcp__k__t', true],
    ['mcp__*', 'mcp__k__t', true],
    ['B*', 'Write', true],
    ['Bash,*', 'Bash', true],
    ['^(?!Bash)', 'Write', true],
    ['^(?!Bash)', 'Bash', false],
    ['Edit;Write', 'Write', false],
    ['\u00a0Bash', 'Bash', false],
    ['Task', 'Agent', true],
    ['^Task$', 'Agent', true],
    ['Edit,Task', 'Agent', true],
    ['KillShell', 'TaskStop', true],
    ['Task', 'Bash', false],
  ])('%j against %s: %s', async (matcher, tool_name, expected) => {
    const seen: unknown[] = [];
    const hooks = hooksOf('PreToolUse', [
      { ...(matcher === undefined ? {} : { matcher }), hooks: [writing(seen)] },
    ]);
    await hooks.run({ ...CALLS.PreToolUse, tool_name }, { signal: live() });
    expect(seen.length > 0).toBe(expected);
  });

  it('SessionStart matches its source; an event without a subject always matches', async () => {
    const start = hooksOf('SessionStart', [{ matcher: 'resume', hooks: [answer({ systemMessage: 'x' })] }]);
    expect(await start.run(CALLS.SessionStart, { signal: live() })).toBe(NO_HOOK_VERDICT);
    for (const matcher of ['anything', '[', ','])
      expect((await telling('Stop', [answer({ systemMessage: 'x' })], { matcher })).told).toEqual([
        'Stop says: x',
      ]);
  });

  /** The field of each event with a matcher, and a value of it. */
  const SUBJECTS = {
    PreToolUse: ['tool_name', 'Bash'],
    PostToolUse: ['tool_name', 'Bash'],
    PostToolUseFailure: ['tool_name', 'Bash'],
    PermissionRequest: ['tool_name', 'Bash'],
    PermissionDenied: ['tool_name', 'Bash'],
    Notification: ['notification_type', 'idle_prompt'],
    UserPromptExpansion: ['command_name', 'deploy'],
    SessionStart: ['source', 'startup'],
    SessionEnd: ['reason', 'other'],
    StopFailure: ['error', 'rate_limit'],
    SubagentStart: ['agent_type', 'general-purpose'],
    SubagentStop: ['agent_type', 'general-purpose'],
    PreCompact: ['trigger', 'manual'],
    PostCompact: ['trigger', 'auto'],
    PreModelSwitch: ['source', 'sdk'],
    PostModelSwitch: ['source', 'command'],
    Elicitation: ['mcp_server_name', 'gh'],
    ElicitationResult: ['mcp_server_name', 'gh'],
    ConfigChange: ['source', 'user_settings'],
    InstructionsLoaded: ['load_reason', 'session_start'],
  } as const satisfies Partial<Record<HookEvent, readonly [string, string]>>;

  it.each(
    Object.entries(SUBJECTS).flatMap(([event, [, value]]) => [
      [event, value, true],
      [event, ` ${value} `, true],
      [event, `nothing,${value}`, true],
      [event, `nothing | ${value}`, true],
      [event, `${value}|`, true],
      [event, value.slice(0, -1), false],
      [event, `^${value.slice(0, 3)}.*`, true],
      [event, `${value}x`, false],
      [event, '*', true],
      [event, '', true],
    ]) as [keyof typeof SUBJECTS, string, boolean][],
  )('%s: %j: %s', (event, matcher, expected) => {
    expect(compileMatcher(matcher, event)(SUBJECTS[event][1])).toBe(expected);
  });

  it.each([
    ['PreToolUse', 'Bash', false],
    ['PreToolUse', 'Edit|MultiEdit', false],
    ['PreToolUse', 'MultiEdit', true],
    ['PreToolUse', 'NoSuch,Bash', false],
    ['PreToolUse', 'Task', false],
    ['PreToolUse', 'mcp__gh', true],
    ['PreToolUse', 'mcp__gh__get', false],
    ['PreToolUse', 'mcp__gh__.*', false],
    ['PreToolUse', '.*delete.*', false],
    ['PreToolUse', '/Bash/', true],
    ['PreToolUse', '!Bash', true],
    ['PreToolUse', 'Bash(rm *)', true],
    ['PreToolUse', ' ', true],
    ['SessionStart', 'Startup', true],
    ['SessionStart', 'startup|resume', false],
    ['SessionStart', 'begin.*', true],
    ['PreCompact', 'never', true],
    ['SubagentStart', 'my-agent', false],
    ['SubagentStart', ',', true],
    ['Notification', 'whatever', false],
    ['Stop', 'whatever', false],
    ['UserPromptSubmit', ',', false],
  ] as [HookEvent, string, boolean][])(
    '%s: %j matches nothing that there is: %s',
    (event, matcher, expected) => {
      expect(matchesNothing(matcher, event, () => ['Bash', 'Edit', 'Agent', 'Write'])).toBe(expected);
    },
  );

  it('one that cannot be read, and an event that does not exist, are refused at the start', () => {
    expect(() => hooksOf('PreToolUse', [{ matcher: '(', hooks: [] }])).toThrow(
      /matcher "\(" of a PreToolUse hook/,
    );
    expect(() => hooksOf('PreTool' as HookEvent, [])).toThrow('There is no hook event "PreTool"');
  });

  it('has() and the empty case', async () => {
    const hooks = hooksOf('Stop', [{ hooks: [answer({})] }]);
    expect([hooks.has('Stop'), hooks.has('PreToolUse')]).toEqual([true, false]);
    expect(await hooks.run(CALLS.PreToolUse, { signal: live() })).toBe(NO_HOOK_VERDICT);
    expect(hooksOf('Stop', []).has('Stop')).toBe(false);
  });
});

describe('F94 fold in the order of registration, whatever order they end in', () => {
  it.each([
    [['allow', 'ask', 'deny'], 'deny'],
    [['deny', 'allow'], 'deny'],
    [['ask', 'allow'], 'ask'],
    [['allow', 'ask'], 'ask'],
    [['allow', 'allow'], 'allow'],
  ])('%j → %s', async (decisions, expected) => {
    const verdict = await run(
      'PreToolUse',
      decisions.map((permissionDecision, i) =>
        pre({ permissionDecision, permissionDecisionReason: `${permissionDecision} ${i}` }),
      ),
    );
    expect(verdict).toMatchObject({
      permission: expected,
      reason: `${expected} ${decisions.indexOf(expected)}`,
    });
  });

  it('the reason is that of the decision, or none', async () => {
    const allowed = pre({ permissionDecision: 'allow', permissionDecisionReason: 'fine' });
    const verdict = await run('PreToolUse', [allowed, pre({ permissionDecision: 'deny' })]);
    expect(verdict.permission).toBe('deny');
    expect(verdict.reason).toBeUndefined();
  });

  it('for the person: rules come with a yes alone, an end of the turn with a no', async () => {
    const asked = (decision: object) =>
      answer({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
    const allow = asked({ behavior: 'allow', updatedPermissions: [{ type: 'addRules' }], interrupt: true });
    const deny = asked({ behavior: 'deny', message: 'no', interrupt: true });
    const yes = await run('PermissionRequest', [allow]);
    expect(yes).toMatchObject({ permission: 'allow', updatedPermissions: [{ type: 'addRules' }] });
    expect(yes).not.toHaveProperty('interrupt');
    const no = await run('PermissionRequest', [allow, deny]);
    expect(no).toMatchObject({ permission: 'deny', interrupt: true, reason: 'no' });
    expect(no).not.toHaveProperty('updatedPermissions');
  });

  it('they start together; the last rewrite by registration wins though it ended first', async () => {
    const clock = virtualClock();
    const started: string[] = [];
    const slow =
      (name: string, ms: number): HookCallback =>
      async () => {
        started.push(name);
        await clock.sleep(ms);
        return {
          systemMessage: name,
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            updatedInput: { command: name },
            additionalContext: name,
          },
        };
      };
    const hooks = hooksOf(
      'PreToolUse',
      [{ hooks: [slow('a', 300), slow('b', 200)] }, { matcher: 'Bash', hooks: [slow('c', 100)] }],
      clock,
    );
    const running = hooks.run(CALLS.PreToolUse, { signal: live() });
    await clock.settle();
    expect(started).toEqual(['a', 'b', 'c']);
    expect(await clock.runUntil(running)).toMatchObject({
      updatedInput: { command: 'c' },
      additionalContext: ['a', 'b', 'c'],
    });
    expect(hooks.told).toEqual(['a', 'b', 'c'].map((name) => `PreToolUse:Bash says: ${name}`));
    expect(clock.pending).toBe(0);
  });
});

describe('what an answer means', () => {
  it('continue: false stops, the first one names the reason', async () => {
    const verdict = await run('PostToolUse', [
      answer({ continue: false, stopReason: 'enough' }),
      answer({ continue: false, stopReason: 'later' }),
    ]);
    expect(verdict.preventContinuation).toEqual({ stopReason: 'enough', hookName: 'PostToolUse' });
  });

  it.each(['Stop', 'UserPromptSubmit', 'PostToolUse'] as const)(
    'decision block on %s is a blocking error',
    async (event) => {
      expect((await run(event, [answer({ decision: 'block', reason: 'not yet' })])).blockingErrors).toEqual([
        'not yet',
      ]);
    },
  );

  it('decision block and approve on PreToolUse are deny and allow', async () => {
    expect(await run('PreToolUse', [answer({ decision: 'block', reason: 'no' })])).toMatchObject({
      permission: 'deny',
      reason: 'no',
    });
    expect(await run('PreToolUse', [answer({ decision: 'approve' })])).toMatchObject({ permission: 'allow' });
  });

  it('a rewritten output, and context, at the end of a turn too', async () => {
    const output = answer({
      hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'y', additionalContext: 'c' },
    });
    expect(await run('PostToolUse', [output])).toMatchObject({
      updatedOutput: 'y',
      additionalContext: ['c'],
    });
    const feedback = answer({
      hookSpecificOutput: { hookEventName: 'Stop', additionalContext: 'run the tests' },
    });
    expect(await run('Stop', [feedback])).toMatchObject({
      blockingErrors: [],
      additionalContext: ['run the tests'],
    });
  });

  it.each([{}, undefined, { async: true }, { hookSpecificOutput: null, reason: null }, { somethingNew: 1 }])(
    '%j has no opinion',
    async (output) => {
      expect(await run('PreToolUse', [answer(output)])).toEqual(NO_HOOK_VERDICT);
    },
  );

  it('a block where it means nothing is said aloud', async () => {
    expect((await telling('SessionStart', [answer({ decision: 'block' })])).told).toEqual([
      expect.stringContaining('has no effect on SessionStart'),
    ]);
  });
});

const failing: [string, HookCallback][] = [
  [
    'throws',
    async () => {
      throw new Error('boom');
    },
  ],
  [
    'throws at once',
    () => {
      throw new Error('boom');
    },
  ],
  ['answers null', answer(null)],
  ['answers text', answer('allow')],
  ['answers a list', answer([])],
  ['answers a wrong shape', answer({ continue: 'no' })],
  [
    'answers an unknown decision',
    answer({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'defer' } }),
  ],
  ['names no event', answer({ hookSpecificOutput: { permissionDecision: 'allow' } })],
];

describe('F91 a hook that fails', () => {
  it.each(failing)('closes the PreToolUse gate when it %s', async (_, hook) => {
    const { verdict, told } = await telling('PreToolUse', [pre({ permissionDecision: 'allow' }), hook]);
    expect(verdict).toMatchObject({
      permission: 'deny',
      reason: expect.stringContaining('failed and guards this'),
    });
    expect(told).toHaveLength(1);
  });

  it.each(failing.slice(0, 6))('blocks the prompt when it %s', async (_, hook) => {
    expect((await run('UserPromptSubmit', [hook])).blockingErrors).toEqual([
      expect.stringContaining('failed and guards this'),
    ]);
  });

  it.each(failing)('that %s leaves the gate open with onFailure continue, visibly', async (_, hook) => {
    const { verdict, told } = await telling('PreToolUse', [hook], { onFailure: 'continue' });
    expect(verdict.permission).toBeUndefined();
    expect(told).toHaveLength(1);
  });

  it.each(failing.slice(0, 6))(
    'and only observes leaves everything open, visibly, when it %s',
    async (_, hook) => {
      expect(await telling('PostToolUse', [hook])).toEqual({
        verdict: NO_HOOK_VERDICT,
        told: [expect.stringContaining('PostToolUse hook:')],
      });
    },
  );

  it('shuts a gate that it need not shut when its owner says so', async () => {
    const hook = () => {
      throw new Error('boom');
    };
    expect(await run('PermissionRequest', [hook])).toEqual(NO_HOOK_VERDICT);
    expect(await run('PermissionRequest', [hook], { onFailure: 'block' })).toMatchObject({
      permission: 'deny',
      reason: expect.stringContaining('boom'),
    });
  });

  it.each([
    [undefined, 60],
    [5, 5],
  ])('ends at its limit (timeout %s → %i s)', async (timeout, seconds) => {
    const clock = virtualClock();
    let signal: AbortSignal | undefined;
    const silent: HookCallback = (_input, _id, options) => {
      signal = options.signal;
      return new Promise(() => {});
    };
    const hooks = hooksOf(
      'PreToolUse',
      [{ hooks: [silent], ...(timeout === undefined ? {} : { timeout }) }],
      clock,
    );
    const running = hooks.run(CALLS.PreToolUse, { signal: live() });
    await clock.advance(seconds * 1000 - 1);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(await running).toMatchObject({
      permission: 'deny',
      reason: expect.stringContaining(`within ${seconds} s`),
    });
    expect(signal?.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

describe('F97 an answer for another event is rejected loudly', () => {
  it.each([
    { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'x' } },
    { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedToolOutput: 'x' } },
  ])('%j for PreToolUse', async (output) => {
    expect(await telling('PreToolUse', [answer(output)])).toMatchObject({
      verdict: { permission: 'deny', additionalContext: [] },
      told: [expect.stringMatching(/PostToolUse|no meaning/)],
    });
  });

  it('for an observer it is a message, and the rest of the answer does not count', async () => {
    const outcome = await telling('Stop', [
      answer({
        decision: 'block',
        hookSpecificOutput: { hookEventName: 'Stop', permissionDecision: 'deny' },
      }),
    ]);
    expect(outcome).toMatchObject({
      verdict: { blockingErrors: [] },
      told: [expect.stringContaining('permissionDecision has no meaning for Stop')],
    });
  });
});

describe('abort', () => {
  it.each([
    ['PreToolUse', { permission: 'deny' }],
    ['UserPromptSubmit', { blockingErrors: [expect.stringContaining('interrupted')] }],
    ['PostToolUse', { blockingErrors: [] }],
  ] as const)('ends a deaf %s hook at once', async (event, expected) => {
    const abort = new AbortController();
    const clock = virtualClock();
    const hooks = hooksOf(event, [{ hooks: [() => new Promise(() => {})] }], clock);
    const running = hooks.run(CALLS[event], { signal: abort.signal });
    abort.abort('user');
    expect(await running).toMatchObject(expected);
    expect(clock.pending).toBe(0);
  });

  it('F136 before the start runs nothing, and keeps gates shut', async () => {
    const seen: unknown[] = [];
    const hooks = hooksOf('PreToolUse', [{ hooks: [writing(seen)] }]);
    expect(await hooks.run(CALLS.PreToolUse, { signal: AbortSignal.abort() })).toMatchObject({
      permission: 'deny',
    });
    expect(seen).toEqual([]);
  });

  it('a hook that throws because of it did not fail', async () => {
    const abort = new AbortController();
    const obedient: HookCallback = (_input, _id, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    const hooks = hooksOf('PostToolUse', [{ hooks: [obedient] }]);
    const running = hooks.run(CALLS.PostToolUse, { signal: abort.signal });
    abort.abort();
    await running;
    expect(hooks.told).toEqual([]);
  });
});

it('run never throws, whatever the base does', async () => {
  const hooks = createHooks({
    matchers: { PreToolUse: [{ hooks: [answer({})] }] },
    base: () => {
      throw new Error('no session');
    },
    clock: virtualClock(),
    ids: sequentialIds(),
  });
  expect(await hooks.run(CALLS.PreToolUse, { signal: live() })).toMatchObject({ permission: 'deny' });
});

it('hooks of other kinds are bounded, judged and folded alike', async () => {
  const command: RegisteredHook = {
    event: 'PreToolUse',
    name: 'PreToolUse:check.sh',
    matches: () => true,
    timeoutMs: 1000,
    onFailure: undefined,
    run: async () => ({ kind: 'answer', answer: 'not an object' }),
    listing: {} as RegisteredHook['listing'],
  };
  const hooks = createHooks({ more: [command], base, clock: virtualClock(), ids: sequentialIds() });
  expect(await hooks.run(CALLS.PreToolUse, { signal: live() })).toMatchObject({
    permission: 'deny',
    reason: expect.stringContaining('check.sh'),
  });
});
