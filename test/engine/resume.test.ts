import { describe, expect, it } from 'vitest';
import { callTool, deferred, fakeTool, hang, say, sequentialIds } from '../../src/testing/index.ts';
import { collect, engineUnderTest, resultIn, telling } from './engine-under-test.ts';

/** An engine that dies while its tool runs: its journal is taken over by the next. */
async function cutOff(effectClass: 'pure' | 'unsafe') {
  const tool = fakeTool({ name: 'Look', hold: true, effectClass });
  const first = engineUnderTest([callTool('Look', {}, { id: 'toolu_1' })], { tools: [tool] });
  const running = collect(first.engine.submitMessage('Hi.'));
  await tool.started();
  const { store, engine } = first;
  const next = (...script: Parameters<typeof engineUnderTest>[0]) => {
    const again = fakeTool({ name: 'Look', effectClass });
    return {
      again,
      ...engineUnderTest(script, {
        store,
        resume: engine.sessionId,
        tools: [again],
        ids: sequentialIds(1000),
      }),
      store,
    };
  };
  return { next, running };
}

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

  it('a new prompt closes what was open: no tool runs', async () => {
    const { next } = await cutOff('pure');
    const { run, again, model } = next(say('New.'));
    expect(resultIn(await run('Something else.'))).toMatchObject({ result: 'New.' });
    expect(again.calls).toHaveLength(0);
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
