import {
  broken,
  callTool,
  countingLedger,
  deferred,
  fallback,
  loopDeps,
  loopParams,
  pause,
  recorder,
  reply,
  retries,
  say,
  scriptedModel,
  scriptedTools,
} from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { CallModel } from '../../src/protocol/model/model.ts';
import { messageByMessage, outline, run } from './run.ts';

describe('a response that is not read to its end', () => {
  it('its usage counts and its end is recorded; the model call is ended (L4.3, L10.9)', async () => {
    const journal = recorder();
    const ledger = countingLedger();
    const model = scriptedModel([reply([say('First.'), pause(deferred<void>().promise), say('Never.')])]);
    let ended = false;
    const callModel: CallModel = async function* (request, options) {
      try {
        return yield* model.callModel(request, options);
      } finally {
        ended = true;
      }
    };
    const loop = messageByMessage(loopParams(), loopDeps({ callModel, recorder: journal, ledger }));
    for await (const message of loop) if (message.type === 'assistant') break;
    expect(ledger.settled).toHaveLength(1);
    expect(journal.ofType('response')).toMatchObject([{ broken: true }]);
    expect(ended).toBe(true);
  });

  it('a denial that was not emitted is counted', async () => {
    const denials: string[] = [];
    const denied = (id: string) => ({
      content: 'No.',
      isError: true,
      denial: { tool_name: 'T', tool_use_id: id, tool_input: {} },
    });
    const model = scriptedModel([reply([callTool('T', {}, { id: 'a' }), callTool('T', {}, { id: 'b' })])]);
    const tools = scriptedTools({ T: (_input, call) => denied(call.block.id) });
    const onDenial = ({ tool_use_id }: { readonly tool_use_id: string }) => void denials.push(tool_use_id);
    const loop = messageByMessage(loopParams(), loopDeps({ callModel: model.callModel, tools, onDenial }));
    for await (const message of loop) if (message.type === 'user') break;
    expect(denials).toEqual(['a', 'b']);
  });
});

describe('model fallback beside a complete call (L4.4)', () => {
  const models = { model: 'first', fallbackModels: ['second'] };

  it('keeps the call with its result; the fallback model, named in a warning, sees both', async () => {
    const { messages, requests, decisions, bodies } = await run({
      steps: [fallback({ after: [callTool('T', {}, { id: 'a' })] }), say('Done.')],
      tools: { T: 'x' },
      params: models,
    });
    expect(requests.map(({ model }) => model)).toEqual(['first', 'second']);
    expect(requests[1]?.view.map(({ type }) => type)).toEqual(['user', 'assistant', 'user']);
    expect(outline(messages)).toContain('system:model_fallback');
    expect(messages.find((m) => m.type === 'system')).toMatchObject({
      original_model: 'first',
      fallback_model: 'second',
    });
    expect(decisions[0]).toMatchObject({
      fallback: { from: 'first', to: 'second' },
      decision: { kind: 'continue', transition: 'next_turn' },
    });
    expect(bodies.filter(({ type }) => type === 'retract')).toEqual([]);
  });

  it('a call that still runs is awaited', async () => {
    const gate = deferred<string>();
    const tools = scriptedTools({ T: () => gate.promise });
    const model = scriptedModel([fallback({ after: [callTool('T')] }), say('Done.')]);
    const loop = messageByMessage(loopParams(models), loopDeps({ callModel: model.callModel, tools }));
    const results: unknown[] = [];
    for await (const message of loop) {
      if (message.type === 'system') gate.resolve('late');
      if (message.type === 'user') results.push(message.message.content);
    }
    expect(results).toMatchObject([[{ type: 'tool_result', content: 'late' }]]);
    expect(tools.aborts).toEqual([]);
  });

  it('the third overload switches the model, whatever the kinds of the first two', async () => {
    const overloaded = { kind: 'overloaded' } as const;
    const { requests } = await run({
      steps: [
        retries([{}], broken({ after: [say('Half.')], failure: overloaded })),
        (request) => {
          expect(request.stream, 'the repeat of a broken stream').toBe(false);
          return broken({ after: [callTool('T')], failure: overloaded });
        },
        say('Done.'),
      ],
      tools: { T: 'x' },
      params: models,
    });
    expect(requests.map(({ model }) => model)).toEqual(['first', 'first', 'second']);
  });

  it.each([0, 1])('after %i retries an overloaded answer is no reason to switch', async (before) => {
    const step = broken({ after: [callTool('T')], failure: { kind: 'overloaded' } });
    const { requests } = await run({
      steps: [retries(Array(before).fill({}), step), say('Done.')],
      tools: { T: 'x' },
      params: models,
    });
    expect(requests.map(({ model }) => model)).toEqual(['first', 'first']);
  });
});

describe('tool-use summary', () => {
  it('is emitted once, in a later iteration', async () => {
    let taken = 0;
    const { messages } = await run({
      steps: [callTool('T'), say(''), say('Done.')],
      tools: { T: 'x' },
      deps: {
        toolUseSummary: {
          start: () => 'key',
          take: () => {
            taken += 1;
            return {
              type: 'tool_use_summary',
              summary: 'Did it.',
              toolUseIds: [],
              uuid: `s${taken}`,
              timestamp: '',
            };
          },
        },
      },
    });
    expect(messages.filter(({ type }) => type === 'tool_use_summary')).toHaveLength(1);
  });
});
