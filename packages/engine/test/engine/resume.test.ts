import { collect, engineUnderTest, resultIn, telling } from '@turnwright/test/engine/engine-under-test.ts';
import { callTool, deferred, fakeTool, hang, say, sequentialIds } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';

/** An engine that dies while its tool runs: its journal is taken over by the next. */
async function cutOff(effectClass: 'pure' | 'unsafe') {
  const tool = fakeTool({ name: 'Look', hold: true, effectClass });
  const first = engineUnderTest([callTool('Look', {}, { id: 'toolu_1' })], { tools: [tool] });
  const running = collect(first.engine.submitMessage('Hi.'));
  await tool.started();
  const { store, engine } = first;
  const nextWith = (
    config: Parameters<typeof engineUnderTest>[1],
    ...script: Parameters<typeof engineUnderTest>[0]
  ) => {
    const again = fakeTool({ name: 'Look', effectClass });
    return {
      again,
      ...engineUnderTest(script, {
        store,
        resume: engine.sessionId,
        tools: [again],
        ids: sequentialIds(1000),
        ...config,
      }),
      store,
    };
  };
  const next = (...script: Parameters<typeof engineUnderTest>[0]) => nextWith({}, ...script);
  return { next, nextWith, running };
}

describe('resume of a long conversation (L2)', () => {
  it.each([
    ['the same model', {}, 40_010, 40_100],
    ['another, which would count otherwise', { model: 'claude-haiku-4-5' }, 1, 1_000],
  ])('F29: goes on with what the provider counted last, with %s', async (_, config, least, most) => {
    const first = engineUnderTest([say('Hello.', { usage: { input_tokens: 40_000, output_tokens: 10 } })]);
    await first.run('Hi.');
    await first.engine.close();
    const { store } = first;
    const resume = first.engine.sessionId;
    const next = engineUnderTest([say('Well.')], { store, resume, ids: sequentialIds(1000), ...config });
    await next.run('And now?');
    const last = store.entries(resume).findLast((entry) => entry.type === 'decision');
    expect(last?.record.view.tokens).toBeGreaterThanOrEqual(least);
    expect(last?.record.view.tokens).toBeLessThan(most);
  });
});

describe('resume (L4.1)', () => {
  it('carries an interrupted submission on to its one result: a pure call runs again', async () => {
    const { next, running } = await cutOff('pure');
    const { engine, again, store } = next(say('Done.'));
    const messages = await collect(engine.resume());
    expect(resultIn(messages)).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(again.calls).toHaveLength(1);
    const results = store.entries(engine.sessionId).filter(({ type }) => type === 'result');
    expect(results).toHaveLength(1);
    void running;
  });

  it('an unsafe call never runs again: its outcome is unknown', async () => {
    const { next } = await cutOff('unsafe');
    const { engine, again, model } = next(say('I will check.'));
    expect(resultIn(await collect(engine.resume()))).toMatchObject({ result: 'I will check.' });
    expect(again.calls).toHaveLength(0);
    expect(JSON.stringify(model.requests[0]?.view)).toContain('outcome unknown');
  });

  it.each(['pure', 'unsafe'] as const)(
    'a %s call that ran when its process was killed has no words of a refusal',
    async (effectClass) => {
      const { next } = await cutOff(effectClass);
      const { run, model } = next(say('New.'));
      await run('Go on.');
      const sent = JSON.stringify(model.requests[0]?.view);
      expect(sent).toContain('Interrupted, outcome unknown: the session ended while this call was running');
      expect(sent).not.toMatch(/doesn't want to proceed|refused/);
    },
  );

  it('a new prompt closes what was open: no tool runs', async () => {
    const { next } = await cutOff('pure');
    const { run, again, model } = next(say('New.'));
    expect(resultIn(await run('Something else.'))).toMatchObject({ result: 'New.' });
    expect(again.calls).toHaveLength(0);
    expect(JSON.stringify(model.requests[0]?.view).match(/"type":"tool_result"/g)).toHaveLength(1);
  });

  it('what the model had given up and was not yet removed is removed before the next request', async () => {
    const look = () => fakeTool({ name: 'Look', answer: 'Of no use.' });
    const compaction = { snipTool: true };
    const first = engineUnderTest(
      [
        callTool('Look', {}, { id: 'toolu_1' }),
        callTool('Snip', { tool_use_ids: ['toolu_1'] }, { id: 'toolu_2' }),
      ],
      { tools: [look()], maxTurns: 2, compaction },
    );
    await first.run('Hi.');
    await first.engine.close();
    const { run, model } = engineUnderTest([say('Done.')], {
      store: first.store,
      resume: first.engine.sessionId,
      tools: [look()],
      ids: sequentialIds(1000),
      compaction,
    });
    await run('Go on.');
    const asked = JSON.stringify(model.requests[0]?.view);
    expect(asked).not.toContain('Of no use.');
    expect(asked).toContain('Snip');
  });

  it('a set-up that fails takes nothing from the next: SessionStart runs, and what was open is closed', async () => {
    const { nextWith } = await cutOff('unsafe');
    const sources: unknown[] = [];
    let fails = true;
    const { run, model } = nextWith(
      {
        commandSources: [
          {
            name: 'shaky',
            commands: [],
            load: async () => {
              if (fails) throw new Error('no disk');
            },
          },
        ],
        hooks: {
          SessionStart: [
            {
              hooks: [
                async ({ source }) => {
                  sources.push(source);
                  return {};
                },
              ],
            },
          ],
        },
      },
      say('Done.'),
    );
    expect(resultIn(await run('One.'))).toMatchObject({ terminal_reason: 'turn_setup_failed' });
    fails = false;
    expect(resultIn(await run('Two.'))).toMatchObject({ result: 'Done.' });
    expect(sources).toEqual(['resume']);
    expect(JSON.stringify(model.requests[0]?.view).match(/"type":"tool_result"/g)).toHaveLength(1);
  });

  it('yields nothing when nothing was interrupted', async () => {
    const first = engineUnderTest([say('Done.')]);
    await first.run('Hi.');
    const { engine } = engineUnderTest([], { store: first.store, resume: first.engine.sessionId });
    expect(await collect(engine.resume())).toEqual([]);
  });

  it('asks again when the model owed an answer', async () => {
    const asked = deferred<void>();
    const first = engineUnderTest([telling(asked, hang())]);
    void collect(first.engine.submitMessage('Hi.'));
    await asked.promise;
    const { engine } = engineUnderTest([say('Here I am.')], {
      store: first.store,
      resume: first.engine.sessionId,
      ids: sequentialIds(1000),
    });
    expect(resultIn(await collect(engine.resume()))).toMatchObject({ result: 'Here I am.', num_turns: 1 });
  });

  it('F111: totals go on, the budget counts this query alone', async () => {
    const first = engineUnderTest([say('Dear.', { usage: { output_tokens: 100_000 } })], { maxBudgetUsd: 5 });
    await first.run('Hi.');
    const second = engineUnderTest([say('Cheap.')], {
      store: first.store,
      resume: first.engine.sessionId,
      maxBudgetUsd: 1,
      ids: sequentialIds(1000),
    });
    const result = resultIn(await second.run('Go on.'));
    expect(result).toMatchObject({ subtype: 'success' });
    expect(result.total_cost_usd).toBeGreaterThan(2);
    expect(result.usage.output_tokens).toBeLessThan(100);
  });
});
