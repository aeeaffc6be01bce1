/** A submission that was killed anywhere and carried on comes to the result that it would have come to (L4.1). */

import { collect, engineUnderTest, resultIn } from '@turnwright/test/engine/engine-under-test.ts';
import {
  callTool,
  fakeTool,
  recordingStore,
  reply,
  type ScriptStep,
  say,
  sequentialIds,
} from '@turnwright/testing';
import { expect, it } from 'vitest';
import type { QueryEngineConfig } from '../../src/engine/config.ts';
import type { ModelRequest } from '../../src/protocol/model/model.ts';
import type { JournalBody } from '../../src/protocol/session/journal.ts';
import type { CanUseTool } from '../../src/protocol/tools/can-use-tool.ts';

/** What the model says is a function of what it is sent, so that a second life hears the same. */
function answer({ view }: ModelRequest) {
  const text = JSON.stringify(
    [...view].map((item) => (item.type === 'attachment' ? '' : item.message.content)),
  );
  const block = !text.includes('toolu_shut')
    ? callTool('Shut', { file: 'a.txt' }, { id: 'toolu_shut' })
    : !text.includes('Not yet')
      ? say('First.')
      : !text.includes('toolu_look')
        ? callTool('Look', {}, { id: 'toolu_look' })
        : say('Done.');
  // No two answers of an API have one id, in whatever process they are read.
  answered += 1;
  return reply([block], { messageId: `msg_of_its_own_${answered}` });
}
let answered = 0;

const config = (): Partial<QueryEngineConfig> => ({
  permissionMode: 'default',
  tools: [{ ...fakeTool({ name: 'Shut' }), pathFields: ['file'] }, fakeTool({ name: 'Look' })],
  canUseTool: async (name) =>
    name === 'Shut' ? { behavior: 'deny', message: 'Shut.' } : { behavior: 'allow', updatedInput: {} },
  hooks: {
    Stop: [
      {
        hooks: [
          async (input) =>
            'stop_hook_active' in input && input.stop_hook_active
              ? {}
              : { decision: 'block', reason: 'Not yet. Finish later.' },
        ],
      },
    ],
  },
});
const script = (): ScriptStep[] => Array.from({ length: 20 }, () => answer);

it('at every boundary of its records', async () => {
  const first = engineUnderTest(script(), config());
  const whole = resultIn(await first.run('Go.'));
  expect(whole).toMatchObject({
    subtype: 'success',
    permission_denials: [{ tool_name: 'Shut', tool_input: { file: '/work/a.txt' } }],
  });
  const { sessionId } = first.engine;
  const entries = first.store.entries(sessionId);
  const begin = entries.findIndex(({ type }) => type === 'user') + 1;
  const end = entries.findIndex(({ type }) => type === 'cost');
  expect(end - begin).toBeGreaterThan(20);
  for (let cut = begin; cut <= end; cut += 1) {
    const store = recordingStore();
    const { epoch } = await store.takeOver(sessionId);
    await store.append(sessionId, epoch, 0, entries.slice(0, cut) as unknown as JournalBody[]);
    const second = engineUnderTest(script(), {
      ...config(),
      store,
      resume: sessionId,
      ids: sequentialIds(1000),
    });
    const result = resultIn(await collect(second.engine.resume()));
    const last = `cut behind ${entries[cut - 1]?.type} (${cut})`;
    for (const field of [
      'subtype',
      'terminal_reason',
      'stop_reason',
      'num_turns',
      'permission_denials',
    ] as const)
      expect(result[field], `${field}, ${last}`).toEqual(whole[field]);
    expect(result, last).toMatchObject({ result: 'result' in whole ? whole.result : '' });
    const answers = store.entries(sessionId).filter((entry) => entry.type === 'response');
    const outputTokens = answers.reduce((sum, entry) => sum + entry.usage.output_tokens, 0);
    expect(result.usage.output_tokens, `usage, ${last}`).toBe(outputTokens);
  }
});
it('with the model that a command had switched to', async () => {
  const switched = 'claude-haiku-4-5';
  const commands: QueryEngineConfig['commands'] = [
    {
      name: 'quick',
      description: 'With a small model.',
      run: () => ({ messages: ['Go.'], shouldQuery: true, model: switched }),
    },
  ];
  const tools = [fakeTool({ name: 'Look' })];
  const first = engineUnderTest([callTool('Look'), say('Done.')], { tools, commands });
  await first.run('/quick');
  expect(first.model.requests.map(({ model }) => model)).toEqual([switched, switched]);
  const { sessionId } = first.engine;
  const entries = first.store.entries(sessionId);
  const cut = entries.findIndex(({ type }) => type === 'decision') + 1;
  const store = recordingStore();
  const { epoch } = await store.takeOver(sessionId);
  await store.append(sessionId, epoch, 0, entries.slice(0, cut) as unknown as JournalBody[]);
  const second = engineUnderTest([say('Done.')], {
    tools,
    store,
    resume: sessionId,
    ids: sequentialIds(1000),
  });
  expect(resultIn(await collect(second.engine.resume()))).toMatchObject({ result: 'Done.', num_turns: 2 });
  expect(second.model.requests.map(({ model }) => model)).toEqual([switched]);
});

/** A life with one tool, whose host notes what it is asked and lets it run with this input. */
function askingHost(asked: string[], updatedInput: Record<string, unknown>) {
  const tool = fakeTool({ name: 'Look' });
  const askIds: string[] = [];
  const canUseTool: CanUseTool = async (name, _, { askId }) => {
    asked.push(name);
    askIds.push(askId);
    return { behavior: 'allow' as const, updatedInput };
  };
  return { tool, askIds, config: { permissionMode: 'default' as const, tools: [tool], canUseTool } };
}

it('asks again what was asked when the process died, and runs the call once', async () => {
  const asked: string[] = [];
  const hosted = () => askingHost(asked, {});
  const first = engineUnderTest([callTool('Look'), say('Done.')], hosted().config);
  await first.run('Go.');
  const { sessionId } = first.engine;
  const entries = first.store.entries(sessionId);
  const cut = entries.findIndex(({ type }) => type === 'answer');
  const store = recordingStore();
  const { epoch } = await store.takeOver(sessionId);
  await store.append(sessionId, epoch, 0, entries.slice(0, cut) as unknown as JournalBody[]);
  asked.length = 0;
  const { tool, askIds, config: later } = hosted();
  const second = engineUnderTest([say('Done.')], {
    ...later,
    store,
    resume: sessionId,
    ids: sequentialIds(1000),
  });
  expect(resultIn(await collect(second.engine.resume()))).toMatchObject({ result: 'Done.', num_turns: 2 });
  expect([asked, tool.calls.length]).toEqual([['Look'], 1]);
  const recorded = store.entries(sessionId).flatMap((entry) => (entry.type === 'ask' ? [entry.askId] : []));
  expect(recorded, 'one question, under one id').toEqual(askIds);
});

it('what was answered is not asked again: the call runs with the answer, once', async () => {
  const asked: string[] = [];
  const life = () => askingHost(asked, { where: 'there' });
  const first = engineUnderTest([callTool('Look', { where: 'here' }), say('Done.')], life().config);
  await first.run('Go.');
  const { sessionId } = first.engine;
  const entries = first.store.entries(sessionId);
  const types = entries.map(({ type }) => type);
  expect(types.slice(types.indexOf('ask'), types.indexOf('intent'))).toEqual(['ask', 'answer']);
  for (const [last, questions] of [
    ['ask', ['Look']],
    ['answer', []],
    ['intent', []],
  ] as const) {
    asked.length = 0;
    const store = recordingStore();
    const { epoch } = await store.takeOver(sessionId);
    const cut = entries.slice(0, types.indexOf(last) + 1);
    await store.append(sessionId, epoch, 0, cut as unknown as JournalBody[]);
    const { tool, config: later } = life();
    const second = engineUnderTest([say('Done.')], {
      ...later,
      store,
      resume: sessionId,
      ids: sequentialIds(1000),
    });
    expect(resultIn(await collect(second.engine.resume())), last).toMatchObject({ result: 'Done.' });
    expect(asked, last).toEqual(questions);
    expect(
      tool.calls.map(({ input }) => input),
      last,
    ).toEqual(last === 'intent' ? [] : [{ where: 'there' }]);
  }
});

it('an answer counts in a process without a host; a denial is one', async () => {
  const first = engineUnderTest([callTool('Look'), say('Done.')], {
    permissionMode: 'default',
    tools: [fakeTool({ name: 'Look' })],
    canUseTool: async () => ({ behavior: 'deny', message: 'Not on a Friday.' }),
  });
  await first.run('Go.');
  const { sessionId } = first.engine;
  const entries = first.store.entries(sessionId);
  const store = recordingStore();
  const { epoch } = await store.takeOver(sessionId);
  const cut = entries.slice(0, entries.findIndex(({ type }) => type === 'answer') + 1);
  await store.append(sessionId, epoch, 0, cut as unknown as JournalBody[]);
  const second = engineUnderTest([say('Done.')], {
    permissionMode: 'default',
    tools: [fakeTool({ name: 'Look' })],
    store,
    resume: sessionId,
    ids: sequentialIds(1000),
  });
  expect(resultIn(await collect(second.engine.resume()))).toMatchObject({
    permission_denials: [{ tool_name: 'Look' }],
  });
  expect(JSON.stringify(second.model.requests[0]?.view.slice())).toContain('Not on a Friday.');
});
