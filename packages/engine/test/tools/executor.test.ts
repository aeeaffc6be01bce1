import { createResolvable, type Resolvable } from '@turnwright/base/async/promises.ts';
import { systemClock } from '@turnwright/base/clock.ts';
import {
  ALLOW,
  answerOf,
  callOf,
  contextIn,
  drain,
  executorOf,
  gateOf,
  hooksOf,
  once,
  resultsOf,
  runTools,
  toolOf,
} from '@turnwright/test/tools/support.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnyTool, ToolContext, ToolOutput } from '../../src/protocol/tools/tool.ts';
import type { StreamingToolExecutor } from '../../src/tools/executor.ts';

/** Lets every promise that can settle do so. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Two tools, safe and unsafe, whose calls wait until told to end. */
function stage(maxConcurrency?: number) {
  const log: string[] = [];
  const gates = new Map<string, Resolvable<void>>();
  const running = new Set<string>();
  const run = async (input: { at: string }): Promise<ToolOutput> => {
    log.push(`+${input.at}`);
    running.add(input.at);
    const gate = createResolvable<void>();
    gates.set(input.at, gate);
    await gate.promise;
    running.delete(input.at);
    log.push(`-${input.at}`);
    return { data: input.at, content: input.at };
  };
  const executor = executorOf([toolOf('S', { isConcurrencySafe: () => true, run }), toolOf('U', { run })], {
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  });
  return { executor, log, running, end: (at: string) => gates.get(at)?.resolve() };
}

describe('L5 concurrency: what runs together', () => {
  // Each wave is what runs at one time; all of a wave ends before the next is looked at.
  test.each([
    ['S', ['0']],
    ['U', ['0']],
    ['SSS', ['012']],
    ['UU', ['0', '1']],
    ['SU', ['0', '1']],
    ['US', ['0', '1']],
    ['SSUSS', ['01', '2', '34']],
    ['USSU', ['0', '12', '3']],
    ['SUSUS', ['0', '1', '2', '3', '4']],
    ['UUSSS', ['0', '1', '234']],
    ['SSSSSSSSSSSS', ['0,1,2,3,4,5,6,7,8,9', '10,11']],
  ])('%s runs as %j', async (pattern, waves) => {
    const { executor, running, end } = stage();
    for (const [at, kind] of [...pattern].entries()) executor.add(callOf(kind, { at: String(at) }));
    for (const wave of waves) {
      await settle();
      const expected = wave.includes(',') ? wave.split(',') : [...wave];
      expect([...running]).toEqual(expected);
      for (const at of expected) end(at);
      await settle();
    }
    expect(resultsOf(await drain(executor))).toHaveLength(pattern.length);
  });

  test('a place that becomes free is taken by the next safe call, not past an unsafe one', async () => {
    const { executor, running, end } = stage(2);
    for (const [at, kind] of ['S', 'S', 'S', 'U', 'S'].entries())
      executor.add(callOf(kind, { at: String(at) }));
    await settle();
    expect([...running]).toEqual(['0', '1']);
    end('1');
    await settle();
    expect([...running]).toEqual(['0', '2']);
    end('2');
    await settle();
    expect([...running]).toEqual(['0']);
    end('0');
    await settle();
    expect([...running]).toEqual(['3']);
    end('3');
    await settle();
    end('4');
    await drain(executor);
  });

  test('a call starts while later ones are not yet known, and results come as calls end', async () => {
    const { executor, log, end } = stage();
    const [first, second] = [callOf('S', { at: 'a' }), callOf('S', { at: 'b' })];
    executor.add(first);
    await settle();
    expect(log).toEqual(['+a']);
    executor.add(second);
    await settle();
    end('b');
    await executor.ready();
    expect(resultsOf(executor.take()).map((result) => result.callId)).toEqual([second.block.id]);
    expect(executor.open).toBe(1);
    end('a');
    await drain(executor);
  });

  test.each([
    ['does not parse', { isConcurrencySafe: () => true, parse: () => ({ ok: false, issues: ['no'] }) }],
    [
      'parser throws',
      {
        isConcurrencySafe: () => true,
        parse: () => {
          throw new Error('broken');
        },
      },
    ],
    [
      'safety check throws',
      {
        isConcurrencySafe: () => {
          throw new Error('broken');
        },
      },
    ],
    ['tool says nothing', {}],
  ] as [string, Partial<AnyTool>][])('counts as unsafe when its input %s', async (_why, parts) => {
    const hold = createResolvable<void>();
    const executor = executorOf([
      toolOf('S', {
        isConcurrencySafe: () => true,
        run: () => hold.promise.then(() => ({ data: 1, content: 'x' })),
      }),
      toolOf('Odd', parts),
    ]);
    executor.add(callOf('S'));
    executor.add(callOf('Odd'));
    await settle();
    expect(executor.take()).toEqual([]);
    hold.resolve();
    expect(resultsOf(await drain(executor)).map((r) => r.trace.name)).toEqual(['S', 'Odd']);
  });

  test('F93 a call that a hook rewrote into an unsafe one runs alone', async () => {
    const log: string[] = [];
    const hold = createResolvable<void>();
    const tool = toolOf('T', {
      isConcurrencySafe: (input: { write?: boolean }) => input.write !== true,
      run: async (input: { at: number; write?: boolean }) => {
        log.push(`+${input.at}`);
        if (input.at === 0) await hold.promise;
        await settle();
        log.push(`-${input.at}`);
        return { data: null, content: 'ok' };
      },
    });
    const hooks = hooksOf({
      PreToolUse: (call) => {
        const input = call['tool_input'] as { at: number };
        return input.at === 1 || input.at === 2 ? { updatedInput: { ...input, write: true } } : {};
      },
    });
    const executor = executorOf([tool], { gate: gateOf({ hooks }) });
    const calls = [0, 1, 2, 3].map((at) => callOf('T', { at }));
    for (const call of calls) {
      executor.add(call);
      executor.delivered(call.block.id);
    }
    await settle();
    await settle();
    hold.resolve();
    expect(resultsOf(await drain(executor))).toHaveLength(4);
    const alone = (at: number) => log.indexOf(`-${at}`) === log.indexOf(`+${at}`) + 1;
    expect(alone(1)).toBe(true);
    expect(alone(2)).toBe(true);
    expect(log.indexOf('+1')).toBeGreaterThan(log.indexOf('-0'));
  });
});

describe('results', () => {
  test('F142 27 parallel calls, one fails: 26 real results', async () => {
    const tool = toolOf('T', {
      isConcurrencySafe: () => true,
      run: async (input: { n: number }) => {
        if (input.n === 13) throw new Error('exit 1');
        return { data: input.n, content: `real ${input.n}` };
      },
    });
    const calls = Array.from({ length: 27 }, (_, n) => callOf('T', { n }));
    const updates: string[] = [];
    for await (const update of runTools(executorOf([tool]), calls)) {
      if (update.kind === 'result') updates.push(answerOf(update).text);
    }
    expect(updates.filter((text) => text.startsWith('real '))).toHaveLength(26);
    expect(updates).toContain('exit 1');
  });

  test('F84 progress, then a throw: progress is delivered, then one error result', async () => {
    const tool = toolOf('T', {
      run: async function* () {
        yield { type: 'step', n: 1 };
        yield { type: 'step', n: 2 };
        throw new Error('fell over');
      },
    });
    const executor = executorOf([tool]);
    executor.add(callOf('T'));
    const updates = await drain(executor);
    expect(updates.map((u) => (u.kind === 'progress' ? u.message.data['n'] : answerOf(u).text))).toEqual([
      1,
      2,
      'fell over',
    ]);
  });

  test('progress that is not taken is bounded, the newest is kept', async () => {
    const tool = toolOf('T', {
      run: async function* () {
        for (let n = 0; n < 1000; n += 1) yield { type: 'step', n };
        return { data: 1, content: 'done' };
      },
    });
    const executor = executorOf([tool]);
    executor.add(callOf('T'));
    while (resultsOf(executor.take()).length === 0 && executor.open > 0) {
      for (let i = 0; i < 50; i += 1) await settle();
      const updates = executor.take();
      expect(updates.length).toBeLessThanOrEqual(101);
      expect(updates.at(-2)).toMatchObject({ message: { data: { n: 999 } } });
    }
  });

  test('context modifiers apply in order, and only of tools that are not concurrency-safe', async () => {
    const modifiers: ((context: ToolContext) => ToolContext)[] = [];
    const moving = (name: string, safe: boolean) =>
      toolOf(name, {
        isConcurrencySafe: () => safe,
        run: async (input: { to: string }, context: ToolContext) => ({
          data: null,
          content: context.cwd,
          modifyContext: (c: ToolContext) => ({ ...c, cwd: `${c.cwd}/${input.to}` }),
        }),
      });
    const executor = executorOf([moving('U', false), moving('S', true)], {
      onModifyContext: (modify) => modifiers.push(modify),
      makeContext: (call, { signal }) =>
        modifiers.reduce((c, modify) => modify(c), contextIn('/r', { signal, toolUseId: call.block.id })),
    });
    const texts: string[] = [];
    const calls = [
      callOf('U', { to: 'a' }),
      callOf('S', { to: 'x' }),
      callOf('U', { to: 'b' }),
      callOf('S', { to: 'y' }),
    ];
    for await (const update of runTools(executor, calls))
      if (update.kind === 'result') texts.push(answerOf(update).text);
    expect(texts).toEqual(['/r', '/r/a', '/r/a', '/r/a/b']);
  });

  test('F145 the same id twice runs once, and both calls are answered', async () => {
    let runs = 0;
    const executor = executorOf([
      toolOf('T', {
        run: async () => {
          runs += 1;
          return { data: 1, content: 'x' };
        },
      }),
    ]);
    const call = callOf('T');
    executor.add(call);
    executor.add(call);
    const results = resultsOf(await drain(executor));
    expect(results).toHaveLength(2);
    expect(runs).toBe(1);
  });
});

describe('abort', () => {
  test('F02 abort while 3 of 5 parallel tools are done: 3 real results, 2 synthetic errors', async () => {
    const tool = toolOf('T', {
      isConcurrencySafe: () => true,
      run: async (input: { n: number }) => {
        if (input.n >= 3) await new Promise(() => {});
        return { data: input.n, content: `real ${input.n}` };
      },
    });
    const executor = executorOf([tool]);
    for (let n = 0; n < 5; n += 1) executor.add(callOf('T', { n }));
    await settle();
    await executor.abort('interrupted');
    const answers = resultsOf(await drain(executor)).map(answerOf);
    expect(answers.filter((a) => !a.isError).map((a) => a.text)).toEqual(['real 0', 'real 1', 'real 2']);
    expect(answers.filter((a) => a.isError).map((a) => a.text)).toEqual(
      Array(2).fill(expect.stringMatching(/stopped it while it was running.*in part/)),
    );
  });

  test('running calls are aborted by their signal, waiting ones are answered immediately and never run', async () => {
    const started: string[] = [];
    const executor = executorOf([
      toolOf('U', {
        run: (input: { at: string }, context: ToolContext) => {
          started.push(input.at);
          return new Promise((_, reject) =>
            context.signal.addEventListener('abort', () => reject(context.signal.reason)),
          );
        },
      }),
    ]);
    executor.add(callOf('U', { at: 'a' }));
    executor.add(callOf('U', { at: 'b' }));
    await settle();
    const aborting = executor.abort('interrupted');
    const [waiting] = resultsOf(executor.take());
    expect(answerOf(waiting!).text).toMatch(/interrupted before it ran/);
    expect(waiting!.message.nonExecution).toBe('aborted');
    expect(waiting!.trace).toMatchObject({ outcome: 'aborted' });
    expect(waiting!.trace.startedMs).toBeUndefined();
    await aborting;
    const [ran] = resultsOf(executor.take());
    expect(answerOf(ran!).text).toMatch(/in part/);
    expect(ran!.trace.startedMs).toBeDefined();
    expect(started).toEqual(['a']);
    expect(executor.open).toBe(0);
  });

  test.each([
    ['it is decided about', []],
    ['its intent is written', ['intent']],
  ])('a call that is stopped while %s never runs', async (when, expected) => {
    const seen: string[] = [];
    const stopIn = (where: string) => void (where === when && executor.abort('interrupted'));
    const gate = gateOf({
      async decide() {
        stopIn('it is decided about');
        return ALLOW;
      },
      async recordIntent() {
        seen.push('intent');
        stopIn('its intent is written');
      },
    });
    const run = async () => {
      seen.push('run');
      return { data: 1, content: 'x' };
    };
    const executor: StreamingToolExecutor = executorOf([toolOf('U', { run })], { gate });
    const result = await once(executor, callOf('U', {}));
    expect(result.message.nonExecution).toBe('aborted');
    expect(seen).toEqual(expected);
  });

  test('a call that succeeds in spite of the abort keeps its result; a failed one is reported with its partial output', async () => {
    const until = (signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    const executor = executorOf([
      toolOf('Good', {
        isConcurrencySafe: () => true,
        run: (_: unknown, c: ToolContext) =>
          until(c.signal).then(() => ({ data: 1, content: 'done after all' })),
      }),
      toolOf('Bad', {
        isConcurrencySafe: () => true,
        run: (_: unknown, c: ToolContext) =>
          until(c.signal).then(() => ({ data: 1, content: 'half a file', isError: true })),
      }),
    ]);
    executor.add(callOf('Good'));
    executor.add(callOf('Bad'));
    await settle();
    await executor.abort('interrupted');
    const [good, bad] = resultsOf(executor.take());
    expect(answerOf(good!)).toMatchObject({ text: 'done after all', isError: false });
    expect(answerOf(bad!).text).toMatch(/in part[\s\S]*half a file/);
    expect(bad!.trace.outcome).toBe('aborted');
  });

  test('a call that does not end is abandoned when the limit passes; what it says later is dropped', async () => {
    const late = createResolvable<ToolOutput>();
    const limit = createResolvable<void>();
    let limitMs = 0;
    const executor = executorOf([toolOf('T', { run: () => late.promise })], {
      clock: {
        ...systemClock,
        sleep(ms) {
          limitMs = ms;
          return limit.promise;
        },
      },
    });
    executor.add(callOf('T'));
    await settle();
    const aborting = executor.abort('superseded');
    await settle();
    expect(executor.take()).toEqual([]);
    limit.resolve();
    await aborting;
    expect(limitMs).toBe(100);
    expect(resultsOf(executor.take()).map((r) => answerOf(r).text)).toEqual([
      expect.stringMatching(/replaced by a newer one while/),
    ]);
    late.resolve({ data: 1, content: 'too late' });
    await settle();
    expect(executor.take()).toEqual([]);
  });

  test.each(['interrupted', 'discarded', 'superseded', 'failed'] as const)(
    'a call added after abort(%s) is answered, not run',
    async (why) => {
      let runs = 0;
      const executor = executorOf([
        toolOf('T', {
          run: async () => {
            runs += 1;
            return { data: 1, content: '' };
          },
        }),
      ]);
      await executor.abort(why);
      await executor.abort('interrupted');
      executor.add(callOf('T'));
      const [result] = resultsOf(await drain(executor));
      expect(answerOf(result!)).toMatchObject({
        isError: true,
        text: expect.stringMatching(/did not run|before it ran/),
      });
      expect(runs).toBe(0);
    },
  );

  test('a call that waits for its block to be taken is answered by abort', async () => {
    const executor = executorOf([toolOf('T')], {
      gate: gateOf({ hooks: hooksOf({ PreToolUse: () => ({}) }) }),
    });
    executor.add(callOf('T'));
    await settle();
    await executor.abort('interrupted');
    expect(resultsOf(executor.take())[0]!.message.nonExecution).toBe('aborted');
  });
});

test('every added call gets exactly one result, whatever tools, gates and aborts do', async () => {
  const behaviours = [
    'ok',
    'error',
    'throw',
    'throwSync',
    'hang',
    'hangDeaf',
    'nothing',
    'generator',
    'generatorThrow',
    'slow',
  ] as const;
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', onUnhandled);

  const run = (input: { does: (typeof behaviours)[number] }, context: ToolContext): unknown => {
    const aborted = new Promise<never>((_, reject) =>
      context.signal.addEventListener('abort', () => reject(context.signal.reason)),
    );
    aborted.catch(() => {});
    switch (input.does) {
      case 'ok':
        return Promise.resolve({ data: 1, content: 'ok' });
      case 'error':
        return Promise.resolve({ data: 1, content: 'bad', isError: true });
      case 'throw':
        return Promise.reject(new Error('thrown'));
      case 'throwSync':
        throw new Error('thrown at once');
      case 'hang':
        return aborted;
      case 'hangDeaf':
        return new Promise(() => {});
      case 'nothing':
        return undefined;
      case 'slow':
        return settle().then(() => ({ data: null, content: [] }));
      case 'generator':
        return (async function* () {
          yield { type: 'p' };
          await settle();
          return { data: 1, content: 'ok' };
        })();
      case 'generatorThrow':
        return (async function* () {
          yield { type: 'p' };
          throw new Error('thrown in the middle');
        })();
    }
  };
  const call = fc.record({
    does: fc.constantFrom(...behaviours),
    safe: fc.boolean(),
    kind: fc.constantFrom('known', 'known', 'known', 'unknown', 'unparsed', 'cut', 'invalid'),
    verdict: fc.constantFrom('allow', 'allow', 'deny', 'ask', 'throw', 'pending'),
    hook: fc.constantFrom('none', 'none', 'deny', 'rewrite', 'stop'),
    intentFails: fc.boolean(),
    deliver: fc.boolean(),
  });

  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { maxLength: 12 }),
        fc.nat(14),
        fc.boolean(),
        async (specs, abortAfter, hooksOn) => {
          const byId = new Map<string, (typeof specs)[number]>();
          const spec = (id: string) => byId.get(id)!;
          const tool = toolOf('T', {
            parse: (input) =>
              input['kind'] === 'invalid' ? { ok: false, issues: ['no good'] } : { ok: true, input },
            isConcurrencySafe: (input: { safe: boolean }) => input.safe,
            run: run as AnyTool['run'],
          });
          const hook = (c: Record<string, unknown>) => {
            const s = spec(String(c['tool_use_id']));
            if (s.hook === 'deny') return { permission: 'deny', reason: 'no' } as const;
            if (s.hook === 'rewrite') return { updatedInput: { ...s, safe: !s.safe } };
            if (s.hook === 'stop') return { preventContinuation: { stopReason: 'enough' } };
            return {};
          };
          const executor: StreamingToolExecutor = executorOf([tool], {
            clock: { ...systemClock, sleep: () => settle().then(settle) },
            gate: gateOf({
              hooks: hooksOn
                ? hooksOf({ PreToolUse: hook, PostToolUse: () => ({}), PostToolUseFailure: () => ({}) })
                : hooksOf({}),
              async decide(question) {
                const { verdict } = spec(question.toolUseId);
                if (verdict === 'throw') throw new Error('rules broke');
                if (verdict === 'pending') return { kind: 'pending', askId: 'q' };
                if (verdict === 'allow') return { kind: 'allow', reasonType: 'mode' };
                return { kind: verdict, reasonType: 'rule', message: 'rule' };
              },
              ask: async (question) =>
                question.toolUseId.endsWith('3')
                  ? { behavior: 'allow' }
                  : Promise.reject(new Error('host gone')),
              async recordIntent(c) {
                if (spec(c.block.id).intentFails) throw new Error('disk full');
              },
            }),
          });
          const added: string[] = [];
          const answered: string[] = [];
          const take = () => {
            for (const result of resultsOf(executor.take())) answered.push(result.callId);
          };
          let aborting: Promise<void> | undefined;
          for (const [at, s] of specs.entries()) {
            if (at === abortAfter) aborting = executor.abort('interrupted');
            const c = callOf(s.kind === 'unknown' ? 'Nope' : 'T', s, {
              ...(s.kind === 'unparsed' && { unparsed: { raw: '{"a":', cut: false } }),
              ...(s.kind === 'cut' && { unparsed: { raw: '{"a":', cut: true } }),
            });
            byId.set(c.block.id, s);
            added.push(c.block.id);
            executor.add(c);
            if (s.deliver) executor.delivered(c.block.id);
            if (at % 3 === 0) await settle();
            take();
          }
          await settle();
          aborting ??= executor.abort('discarded');
          await aborting;
          take();
          expect(executor.open).toBe(0);
          await executor.ready();
          expect(answered.sort()).toEqual(added.sort());
        },
      ),
      { numRuns: 150 },
    );
    await settle();
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
});
