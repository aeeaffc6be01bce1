import { engineUnderTest, resultIn } from '@turnwright/test/engine/engine-under-test.ts';
import { agentsUnderTest, startAgents } from '@turnwright/test/subagents/agents-under-test.ts';
import { callTool, fakeTool, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { createGuard } from '../../src/engine/budget/run-guards.ts';
import { SessionBudget } from '../../src/engine/budget/session-budget.ts';
import type { UsageLedger } from '../../src/engine/budget/usage-ledger.ts';
import { QueryEngine } from '../../src/engine/query-engine.ts';
import type { SDKMessage, SDKUserMessage } from '../../src/protocol/stream/sdk-messages.ts';

/** Whatever can go on without the consumer has gone on. */
async function ticks(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The ids of the calls whose results these are. */
function answered(messages: readonly { readonly type: string }[]): string[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user') return [];
    const { content } = (message as SDKUserMessage).message;
    if (typeof content === 'string') return [];
    return content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
  });
}

const dear = { usage: { output_tokens: 100_000 } }; // $2 on opus
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;

describe('budgets (L9)', () => {
  it('F42: the turn cap: one result, filled in', async () => {
    const { run } = engineUnderTest([callTool('Look'), callTool('Look')], {
      tools: [fakeTool({ name: 'Look' })],
      maxTurns: 2,
    });
    const messages = await run('Hi.');
    expect(messages.filter(({ type }) => type === 'result')).toHaveLength(1);
    expect(resultIn(messages)).toMatchObject({
      subtype: 'error_max_turns',
      terminal_reason: 'max_turns',
      errors: ['Reached maximum number of turns (2)'],
      num_turns: 3,
      stop_reason: 'tool_use',
    });
    expect(resultIn(messages).usage.output_tokens).toBeGreaterThan(0);
  });

  it('F43: a cap of 1 with a tool call is an error, without one a success', async () => {
    const capped = engineUnderTest([callTool('Look')], { tools: [fakeTool({ name: 'Look' })], maxTurns: 1 });
    expect(resultIn(await capped.run('Hi.'))).toMatchObject({ subtype: 'error_max_turns', num_turns: 2 });
    const fine = engineUnderTest([say('Hello.')], { maxTurns: 1 });
    expect(resultIn(await fine.run('Hi.'))).toMatchObject({ subtype: 'success' });
  });

  it('money ends the run after the answer that crossed the budget', async () => {
    const { run, model } = engineUnderTest([callTool('Look'), callTool('Look', {}, dear), say('Never.')], {
      tools: [fakeTool({ name: 'Look' })],
      maxBudgetUsd: 1,
    });
    const result = resultIn(await run('Hi.'));
    expect(result).toMatchObject({
      subtype: 'error_max_budget_usd',
      terminal_reason: 'budget_exhausted',
      errors: ['Reached maximum budget ($1)'],
      stop_reason: 'tool_use',
    });
    expect(result.total_cost_usd).toBeGreaterThanOrEqual(2);
    expect(model.requests).toHaveLength(2);
  });

  it('the run ends after the message that crossed the budget, not after all that came with it', async () => {
    const { engine, store } = agentsUnderTest(
      {
        main: [startAgents('dear', 'cheap'), say('Never.')],
        dear: [say('Dear.', dear)],
        cheap: [say('Cheap.')],
      },
      { maxBudgetUsd: 1 },
    );
    const messages: SDKMessage[] = [];
    for await (const message of engine.submitMessage('Hi.')) {
      messages.push(message);
      // The consumer takes its time: when it asks again, both agents have long ended.
      await ticks();
    }
    expect(answered(messages)).not.toContain('toolu_cheap');
    const { sessionId } = engine;
    expect(answered(store.entries(sessionId))).toEqual(['toolu_dear', 'toolu_cheap']);
    expect(resultIn(messages)).toMatchObject({
      terminal_reason: 'budget_exhausted',
      errors: ['Reached maximum budget ($1)'],
    });
  });

  it('money is spent when all of it is: no answer more is asked for', () => {
    const guard = (spent: number) => {
      const ledger = { spentUsd: () => spent } as UsageLedger;
      return createGuard({ budget: new SessionBudget({ maxBudgetUsd: 1 }, ledger), turnCount: () => 3 });
    };
    expect(guard(1).verdict()).toEqual({ reason: 'budget_exhausted', turnCount: 3 });
    expect(guard(0.999).verdict()).toBeUndefined();
  });

  it('F66: the budget is hit beside open calls: each has its result, and the session goes on with a higher budget', async () => {
    const first = engineUnderTest([callTool('Look', {}, { ...dear, id: 'toolu_1' })], {
      tools: [fakeTool({ name: 'Look', hold: true })],
      maxBudgetUsd: 1,
    });
    expect(resultIn(await first.run('Hi.'))).toMatchObject({ subtype: 'error_max_budget_usd' });
    await first.engine.close();
    const second = engineUnderTest([say('Good.')], {
      store: first.store,
      resume: first.engine.sessionId,
      maxBudgetUsd: 5,
      tools: [fakeTool({ name: 'Look' })],
    });
    const result = resultIn(await second.run('Go on.'));
    expect(result).toMatchObject({ subtype: 'success', result: 'Good.' });
    expect(result.total_cost_usd).toBeGreaterThan(2);
    const view = JSON.stringify(second.model.requests[0]?.view);
    expect(view.match(/"type":"tool_result"/g)).toHaveLength(1);
  });

  it('F65: a budget with a model of unknown price is refused at the door', async () => {
    expect(() => engineUnderTest([], { model: 'homemade', maxBudgetUsd: 1 })).toThrow(/price of homemade/);
    expect(() => engineUnderTest([], { fallbackModel: 'homemade', maxBudgetUsd: 1 })).toThrow(
      /price of homemade/,
    );
    const { engine } = engineUnderTest([], { maxBudgetUsd: 1 });
    await expect(engine.model.switchTo('homemade')).rejects.toThrow(/price of homemade/);
  });

  it('refuses values that no run could mean', () => {
    for (const bad of [
      { maxTurns: 0 },
      { maxTurns: 1.5 },
      { maxBudgetUsd: -1 },
      { cwd: 'here' },
      { forkSession: true },
    ]) {
      expect(() => new QueryEngine({ cwd: '/work', tools: [], ...bad })).toThrow(/option/);
    }
  });
});

describe('structured output (L7.1)', () => {
  it('the accepted value ends the turn and is part of the result', async () => {
    const { run } = engineUnderTest([callTool('StructuredOutput', { n: 3 })], {
      outputFormat: { type: 'json_schema', schema },
    });
    expect(resultIn(await run('Count.'))).toMatchObject({
      subtype: 'success',
      structured_output: { n: 3 },
      stop_reason: 'tool_use',
      num_turns: 2,
    });
  });
  it('the accepted value is recorded as an attachment, which the model does not receive', async () => {
    const { run, store, engine, model } = engineUnderTest(
      [callTool('StructuredOutput', { n: 3 }), say('Good.')],
      { outputFormat: { type: 'json_schema', schema }, verbose: true },
    );
    const messages = await run('Count.');
    expect(messages.map(({ type }) => type)).toEqual(['system', 'assistant', 'user', 'result']);
    expect(store.entries(engine.sessionId)).toContainEqual(
      expect.objectContaining({
        type: 'attachment',
        attachment: { type: 'structured_output', value: { n: 3 } },
      }),
    );
    await run('Thank you.');
    const attached = model.requests[1]?.view.flatMap((each) =>
      each.type === 'attachment' ? each.rendered : [],
    );
    expect(attached).toEqual([]);
  });
  it('text instead is nudged', async () => {
    const { run } = engineUnderTest([say('Three.'), callTool('StructuredOutput', { n: 3 })], {
      outputFormat: { type: 'json_schema', schema },
    });
    expect(resultIn(await run('Count.'))).toMatchObject({
      subtype: 'success',
      structured_output: { n: 3 },
      num_turns: 3,
    });
  });
  it('five refused calls end the run', async () => {
    const bad = () => callTool('StructuredOutput', { n: 'three' });
    const { run, model } = engineUnderTest([bad(), bad(), bad(), bad(), bad(), bad()], {
      outputFormat: { type: 'json_schema', schema },
    });
    expect(resultIn(await run('Count.'))).toMatchObject({
      subtype: 'error_max_structured_output_retries',
      terminal_reason: 'structured_output_retry_exhausted',
      num_turns: 6,
      stop_reason: 'tool_use',
    });
    expect(model.requests).toHaveLength(5);
  });
  it('a schema of something else than an object is carried in one', async () => {
    const { run } = engineUnderTest([callTool('StructuredOutput', { value: [1, 2] })], {
      outputFormat: { type: 'json_schema', schema: { type: 'array', items: { type: 'integer' } } },
    });
    expect(resultIn(await run('Count.'))).toMatchObject({ structured_output: [1, 2] });
  });
});
