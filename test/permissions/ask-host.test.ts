import { describe, expect, it } from 'vitest';
import { type AskOptions, createAsk } from '../../src/permissions/ask/ask.ts';
import { createPermissions } from '../../src/permissions/permission-engine.ts';
import type { CanUseTool } from '../../src/protocol/tools/can-use-tool.ts';
import type { PermissionResult } from '../../src/protocol/tools/permission.ts';
import { sequentialIds, virtualClock } from '../../src/testing/index.ts';
import { question, TOOLS } from './ask-doubles.ts';

const files = {
  realpath: async (path: string) => path,
  lstat: async () => undefined,
  readDir: async () => [],
};
const asked = { ...question(TOOLS.Bash, { command: 'npm test' }, '/proj'), message: 'Bash needs approval.' };
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
    { type: 'whatever' },
  ])('an update that cannot be applied (%j) denies and changes nothing', async (update) => {
    const { ask, permissions } = answering({ behavior: 'allow', updatedPermissions: [update] });
    expect(await ask(asked, live())).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('could not be applied'),
    });
    expect(permissions.rules()).toEqual([]);
  });
});

describe('F90 a host that does not answer denies', () => {
  it('null', async () => {
    expect(await answering(null).ask(asked, live())).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('no answer'),
    });
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

  it.each([
    undefined,
    'allow',
    true,
    [],
    {},
    { behavior: 'yes' },
    { behavior: 'allow', updatedInput: 'x' },
    { behavior: 'allow', updatedPermissions: {} },
    { behavior: 'allow', toolUseID: 'toolu_other' },
  ])('junk: %j', async (answer) => {
    expect(await answering(answer).ask(asked, live())).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('no answer'),
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
    expect(signal?.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('without a limit a person has all the time', async () => {
    let answer: (result: PermissionResult) => void = () => {};
    const { ask, clock } = setUp(() => new Promise((resolve) => (answer = resolve)));
    const asking = ask(asked, live());
    await clock.advance(5 * 60 * 60 * 1000);
    answer({ behavior: 'allow' });
    expect(await asking).toEqual({ behavior: 'allow' });
  });
});

describe('abort', () => {
  it('withdraws the question, for a callback that does not listen too', async () => {
    const abort = new AbortController();
    let signal: AbortSignal | undefined;
    const { ask } = setUp((_tool, _input, context) => {
      signal = context.signal;
      return new Promise(() => {});
    });
    const asking = ask(asked, abort.signal);
    abort.abort('user');
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

  it('takes a message of the caller', async () => {
    const { ask } = setUp(undefined, { headlessMessage: 'Nobody is home.' });
    expect(await ask(asked, live())).toEqual({
      behavior: 'deny',
      answeredBy: 'headless',
      message: 'Nobody is home.',
    });
  });
});
