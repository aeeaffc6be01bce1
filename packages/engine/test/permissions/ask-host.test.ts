import { question, TOOLS, toolNamed } from '@turnwright/test/permissions/ask-doubles.ts';
import { sequentialIds, virtualClock } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { type AskOptions, createAsk } from '../../src/permissions/ask/create-ask.ts';
import { readAnswer } from '../../src/permissions/ask/read-answer.ts';
import { createPermissions } from '../../src/permissions/permission-engine.ts';
import type { CanUseTool } from '../../src/protocol/tools/can-use-tool.ts';
import type { PermissionResult } from '../../src/protocol/tools/permission.ts';
import type { AnyTool } from '../../src/protocol/tools/tool.ts';

const files = {
  realpath: async (path: string) => path,
  lstat: async () => undefined,
  readDir: async () => [],
};
const asked = { ...question(TOOLS.Bash, { command: 'npm test' }, '/proj'), message: 'Bash needs approval.' };
const never = () => new Promise<never>(() => {});
const live = () => new AbortController().signal;

function setUp(canUseTool?: CanUseTool, more: Partial<AskOptions> = {}) {
  const clock = virtualClock();
  const permissions = createPermissions({ files });
  const ask = createAsk({ canUseTool, permissions, ids: sequentialIds(), clock, ...more });
  return { ask, clock, permissions };
}
const answering = (answer: unknown) => setUp(async () => answer as PermissionResult);

describe('asking the host', () => {
  it('hands over the question and passes an allow on', async () => {
    let seen: Parameters<CanUseTool> | undefined;
    const { ask } = setUp(async (...call) => {
      seen = call;
      return { behavior: 'allow', updatedInput: { command: 'npm test -- a' } };
    });
    const suggestions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] as const;
    expect(await ask({ ...asked, suggestions, blockedPath: '/x', agentId: 'a1' }, live())).toEqual({
      behavior: 'allow',
      updatedInput: { command: 'npm test -- a' },
    });
    expect(seen?.[0]).toBe('Bash');
    expect(seen?.[1]).toEqual({ command: 'npm test' });
    expect(seen?.[2]).toMatchObject({
      toolUseID: 'toolu_1',
      suggestions,
      blockedPath: '/x',
      agentID: 'a1',
      decisionReason: 'Bash needs approval.',
    });
    expect(seen?.[2].requestId).toEqual(expect.any(String));
  });

  it('tells what the question is about, and only what it has', async () => {
    const told = async (question: Parameters<ReturnType<typeof setUp>['ask']>[0], more = {}) => {
      let context: object = {};
      const { ask } = setUp(async (_tool, _input, given) => {
        const { signal: _signal, ...others } = given;
        context = others;
        return { behavior: 'allow' };
      }, more);
      expect(await ask(question, live())).toEqual({ behavior: 'allow' });
      return context;
    };
    const always = {
      toolUseID: 'toolu_1',
      requestId: expect.any(String),
      askId: expect.any(String),
      decisionReason: 'Bash needs approval.',
      displayName: 'Bash',
      description: 'npm test',
    };
    expect(await told(asked)).toStrictEqual(always);
    const matched = { source: 'session', value: { toolName: 'Bash', ruleContent: 'npm:*' } } as const;
    const explaining = () => ({ explain: async () => never(), checkRule: async () => never() });
    expect(
      await told({ ...asked, askId: 'ask-1', reasonType: 'rule', matched }, { explaining }),
    ).toStrictEqual({
      ...always,
      askId: 'ask-1',
      decisionReasonType: 'rule',
      matchedAskRule: { source: 'session', toolName: 'Bash', ruleContent: 'npm:*' },
      explain: expect.any(Function),
      checkRule: expect.any(Function),
    });
    const other = { ...always, decisionReasonType: 'other' };
    expect(await told({ ...asked, reasonType: 'other', matched })).toStrictEqual(other);
    expect(await told({ ...asked, reasonType: 'rule' })).toStrictEqual({
      ...always,
      decisionReasonType: 'rule',
    });
  });

  const server = (title?: string) =>
    toolNamed('mcp__desk__read_file', {
      requiresUserInteraction: true,
      mcp: { server: 'desk', tool: 'read_file', source: 'userSettings', title } as never,
    });
  const naming = toolNamed('Skill', { permissionTarget: () => ({ kind: 'name', name: 'deploy' }) });
  it.each<[AnyTool, Record<string, string>, string, string | undefined]>([
    [TOOLS.Bash, { command: 'make', description: 'Builds.' }, 'Bash', 'Builds.'],
    [TOOLS.Bash, { command: 'make', description: '' }, 'Bash', 'make'],
    [TOOLS.Read, { path: '/proj/src/a', description: 'Looks.' }, 'Read', 'src/a'],
    [TOOLS.Write, { path: '/proj', description: 'Writes.' }, 'Write', '/proj'],
    [TOOLS.Write, { path: '/etc/x' }, 'Write', '/etc/x'],
    [TOOLS.WebFetch, { url: 'https://a.example/' }, 'WebFetch', 'https://a.example/'],
    [naming, {}, 'Skill', 'deploy'],
    [TOOLS.TodoWrite, {}, 'TodoWrite', undefined],
    [TOOLS.TodoWrite, { description: 'Notes.' }, 'TodoWrite', 'Notes.'],
    [server('Read a file'), {}, 'Read a file', undefined],
    [server(' '), {}, 'Read File', undefined],
    [server(), {}, 'Read File', undefined],
  ])('a person is shown what is meant: %#', async (tool, input, displayName, description) => {
    let shown: object = {};
    const { ask } = setUp(async (_tool, _input, context) => {
      shown = context;
      return { behavior: 'allow' };
    });
    await ask({ ...question(tool, input, '/proj'), message: 'Why.' }, live());
    const isServer = tool.mcp !== undefined;
    expect(shown).toMatchObject({ displayName, ...(description !== undefined && { description }) });
    if (description === undefined) expect(shown).not.toHaveProperty('description');
    expect('mcpServer' in shown && shown.mcpServer).toEqual(
      isServer && { name: 'desk', source: 'userSettings' },
    );
    expect('requiresUserInteraction' in shown && shown.requiresUserInteraction).toBe(isServer);
  });

  it('does not ask a host about a call that is over already', async () => {
    let times = 0;
    const { ask } = setUp(async () => {
      times += 1;
      return { behavior: 'allow', updatedInput: {} };
    });
    expect(await ask(asked, AbortSignal.abort())).toMatchObject({ behavior: 'deny' });
    expect(times).toBe(0);
  });

  it('a denial is exactly the message of the host', async () => {
    const { ask } = answering({ behavior: 'deny', message: '  No. Use pnpm.\n', interrupt: true });
    expect(await ask(asked, live())).toEqual({
      behavior: 'deny',
      message: '  No. Use pnpm.\n',
      interrupt: true,
    });
  });

  it.each<[unknown, object]>([
    [{ behavior: 'deny' }, { behavior: 'deny', message: 'The user denied this call.' }],
    [
      { behavior: 'deny', message: '', interrupt: 'yes' },
      { behavior: 'deny', message: 'The user denied this call.' },
    ],
    [
      { behavior: 'deny', message: 7, decisionClassification: 'user_reject' },
      { behavior: 'deny', message: 'The user denied this call.', decisionClassification: 'user_reject' },
    ],
    [{ behavior: 'allow', updatedInput: null, updatedPermissions: null }, { behavior: 'allow' }],
    [
      { behavior: 'allow', toolUseID: 'toolu_1', decisionClassification: 'user_permanent' },
      { behavior: 'allow', decisionClassification: 'user_permanent' },
    ],
    [
      { behavior: 'allow', updatedInput: { a: 1 }, updatedPermissions: [], decisionClassification: 'other' },
      { behavior: 'allow', updatedInput: { a: 1 }, updatedPermissions: [] },
    ],
  ])('of the answer %j, what is understood counts: %j', async (answer, understood) => {
    expect(await answering(answer).ask(asked, live())).toStrictEqual(understood);
  });

  it.each<[unknown, string]>([
    [undefined, 'expected an object, got undefined.'],
    ['allow', 'expected an object, got string.'],
    [true, 'expected an object, got boolean.'],
    [{}, 'behavior must be "allow" or "deny", got undefined.'],
    [[], 'expected an object, got object.'],
    [{ behavior: 'yes' }, 'behavior must be "allow" or "deny", got "yes".'],
    [{ behavior: 'allow', updatedInput: 'x' }, 'updatedInput must be an object.'],
    [{ behavior: 'allow', updatedPermissions: {} }, 'updatedPermissions must be a list.'],
    [{ behavior: 'allow', toolUseID: 'toolu_other' }, 'its toolUseID is that of another call.'],
  ])('the answer %j is none: %s', async (answer, problem) => {
    expect(await answering(answer).ask(asked, live())).toEqual({
      behavior: 'deny',
      answeredBy: 'unanswered',
      message: `The permission callback answered Bash with something that is no answer, so the call is denied: ${problem}`,
    });
  });

  it('updated permissions take effect at once', async () => {
    const { ask, permissions } = answering({
      behavior: 'allow',
      updatedPermissions: [
        {
          type: 'addRules',
          rules: [{ toolName: 'Bash', ruleContent: 'npm test' }],
          behavior: 'allow',
          destination: 'session',
        },
      ],
    });
    expect((await permissions.decide(asked)).kind).toBe('ask');
    await ask(asked, live());
    expect((await permissions.decide(asked)).kind).toBe('allow');
  });

  it.each([
    { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
    { type: 'addRules', rules: [{ toolName: 'no rule (' }], behavior: 'allow', destination: 'session' },
    { type: 'setMode', mode: 'reckless', destination: 'session' },
    { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'perhaps', destination: 'session' },
    { type: 'removeRules', rules: 'Bash', behavior: 'allow', destination: 'session' },
    { type: 'addDirectories', directories: '/a', destination: 'session' },
    { type: 'removeDirectories', directories: ['/a', 7], destination: 'session' },
    { type: 'whatever' },
    null,
  ])('an update that cannot be applied (%j) denies and changes nothing', async (update) => {
    const { ask, permissions } = answering({ behavior: 'allow', updatedPermissions: [update] });
    expect(await ask(asked, live())).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('could not be applied'),
    });
    expect(permissions.rules()).toEqual([]);
  });
});

it.each([
  { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'perhaps', destination: 'session' },
  { type: 'removeRules', rules: 'Bash', behavior: 'allow', destination: 'session' },
  { type: 'addDirectories', directories: '/a', destination: 'session' },
  { type: 'removeDirectories', directories: ['/a', 7], destination: 'session' },
  { type: 'whatever' },
])('the update %j cannot be read', (update) => {
  expect(() => setUp().permissions.check([update as never])).toThrow(
    expect.objectContaining({
      code: 'invalid_option',
      message: `This permission update cannot be read: ${JSON.stringify(update)}`,
    }),
  );
});

it('an update is checked before anything of it is applied', () => {
  const rules = [{ toolName: 'Bash' }, { toolName: 'no rule (' }];
  expect(() =>
    setUp().permissions.check([{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }]),
  ).toThrow('is not a permission rule');
});

describe('F90 a host that does not answer denies', () => {
  it('null', async () => {
    expect(await answering(null).ask(asked, live())).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('had no answer to the permission question for Bash'),
    });
  });

  it('null, where it is written down', () => {
    expect(readAnswer(null, 'toolu_1')).toEqual({ ok: false, problem: 'expected an object, got null.' });
  });

  it('a throw, also a synchronous one', async () => {
    const rejecting = setUp(async () => {
      throw new Error('socket closed');
    });
    expect(await rejecting.ask(asked, live())).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('socket closed'),
    });
    const throwing = setUp(() => {
      throw new Error('at once');
    });
    expect(await throwing.ask(asked, live())).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('at once'),
    });
  });

  it('silence ends at the limit, and the callback is aborted', async () => {
    let signal: AbortSignal | undefined;
    const { ask, clock } = setUp(
      (_tool, _input, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
      { timeoutMs: 30_000 },
    );
    const answer = ask(asked, live());
    await clock.advance(29_999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(await answer).toMatchObject({ behavior: 'deny', message: expect.stringContaining('within 30 s') });
    expect(signal?.reason).toBe('answered');
    expect(clock.pending).toBe(0);
  });

  it('without a limit a person has all the time', async () => {
    let answer: (result: PermissionResult) => void = () => {};
    const { ask, clock } = setUp(() => new Promise((resolve) => (answer = resolve)));
    const asking = ask(asked, live());
    await clock.advance(5 * 60 * 60 * 1000);
    answer({ behavior: 'allow' });
    expect(await asking).toEqual({ behavior: 'allow' });
    const hurried = { clock: { sleep: async () => {} } as never };
    expect(
      await setUp(() => new Promise((resolve) => setImmediate(resolve, { behavior: 'allow' })), hurried).ask(
        asked,
        live(),
      ),
    ).toEqual({
      behavior: 'allow',
    });
  });
});

describe('a recorded question', () => {
  const parking = (due: boolean) => ({
    due: async () => due,
  });
  const silent = () => never();
  it('is parked when parking is due, and the host hears of it', async () => {
    let signal: AbortSignal | undefined;
    const { ask } = setUp(
      (_tool, _input, context) => {
        signal = context.signal;
        return silent();
      },
      { parking: parking(true) as never },
    );
    expect(await ask({ ...asked, askId: 'ask-1' }, live())).toEqual({ behavior: 'pending', askId: 'ask-1' });
    expect(signal?.reason).toBe('parked');
  });

  it('is waited for where it is not recorded, or parking is not due', async () => {
    for (const [due, askId] of [
      [true, undefined],
      [false, 'ask-1'],
    ] as const) {
      const { ask, clock } = setUp(silent, { parking: parking(due) as never, timeoutMs: 1_000 });
      const answer = ask({ ...asked, ...(askId !== undefined && { askId }) }, live());
      await clock.advance(1_000);
      expect(await answer).toMatchObject({
        answeredBy: 'unanswered',
        message: expect.stringContaining('within 1 s'),
      });
    }
  });
});

describe('abort', () => {
  it('withdraws the question, for a callback that does not listen too', async () => {
    const abort = new AbortController();
    let signal: AbortSignal | undefined;
    const { ask } = setUp(
      (_tool, _input, context) => {
        signal = context.signal;
        return never();
      },
      { timeoutMs: 30_000 },
    );
    const asking = ask(asked, abort.signal);
    abort.abort('user');
    expect(signal?.reason).toBe('user');
    expect(await asking).toMatchObject({ behavior: 'deny', message: expect.stringContaining('withdrawn') });
    expect(signal?.aborted).toBe(true);
  });

  it('F106 leaves no listeners behind', async () => {
    const abort = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = abort.signal;
    abort.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      return addEventListener.apply(abort.signal, args);
    };
    abort.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      return removeEventListener.apply(abort.signal, args);
    };
    const { ask } = answering({ behavior: 'allow' });
    for (let i = 0; i < 100; i++) await ask(asked, abort.signal);
    expect(listeners).toBe(0);
  });
});

describe('F160 headless', () => {
  it('denies at once, names the tool and how to allow it', async () => {
    const { ask, permissions } = setUp();
    const verdict = await permissions.decide(asked);
    const suggestions = verdict.kind === 'ask' ? (verdict.suggestions ?? []) : [];
    expect(await ask({ ...asked, suggestions }, live())).toEqual({
      behavior: 'deny',
      answeredBy: 'headless',
      message: expect.stringMatching(/Bash.*Bash\(npm test \*\).*allowedTools.*canUseTool/),
    });
  });

  it.each<[string, object, RegExp]>([
    ['the tool, where no rule is suggested', {}, /add the rule Bash to allowedTools/],
    [
      'no rule, where none helps',
      { reasonType: 'safetyCheck' },
      /^Bash needs approval\. No question.*Bash is denied, and no allow rule changes that/,
    ],
    ['no rule, where a rule asks', { reasonType: 'rule' }, /no allow rule changes that/],
    [
      'the rule, where it is asked by default',
      {
        reasonType: 'other',
        suggestions: [
          { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
          {
            type: 'addRules',
            rules: [{ toolName: 'Bash', ruleContent: 'npm:*' }],
            behavior: 'allow',
            destination: 'session',
          },
        ],
      },
      /add the rule Bash\(npm:\*\) to/,
    ],
    [
      'that nobody can answer a question',
      { tool: TOOLS.AskUser },
      /^AskUserQuestion cannot ask a question: no user and no host/,
    ],
  ])('names %s', async (_, more, message) => {
    expect(await setUp().ask({ ...asked, ...more }, live())).toMatchObject({
      behavior: 'deny',
      answeredBy: 'headless',
      message: expect.stringMatching(message),
    });
  });

  it('takes a message of the caller', async () => {
    const { ask } = setUp(undefined, { headlessMessage: 'Nobody is home.' });
    expect(await ask(asked, live())).toEqual({
      behavior: 'deny',
      answeredBy: 'headless',
      message: 'Nobody is home.',
    });
  });
});
