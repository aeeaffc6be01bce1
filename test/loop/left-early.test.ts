import { describe, expect, it } from 'vitest';
import { queryLoop } from '../../src/loop/query-loop.ts';
import type { CallModel } from '../../src/protocol/model.ts';
import {
  broken,
  callTool,
  countingLedger,
  deferred,
  loopDeps,
  loopParams,
  pause,
  recorder,
  reply,
  say,
  scriptedModel,
  scriptedTools,
} from '../../src/testing/index.ts';
import { outline, run } from './run.ts';

describe('a response that nobody reads to its end', () => {
  it('its usage counts and its end is on record; the model call is ended (L4.3, L10.9)', async () => {
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
    const loop = queryLoop(loopParams(), loopDeps({ callModel, recorder: journal, ledger }));
    for await (const message of loop) if (message.type === 'assistant') break;
    expect(ledger.settled).toHaveLength(1);
    expect(journal.ofType('response')).toMatchObject([{ broken: true }]);
    expect(ended).toBe(true);
  });

  it('a denial that was not shown any more is counted', async () => {
    const denials: string[] = [];
    const denied = (id: string) => ({
      content: 'No.',
      isError: true,
      denial: { tool_name: 'T', tool_use_id: id, tool_input: {} },
    });
    const model = scriptedModel([reply([callTool('T', {}, { id: 'a' }), callTool('T', {}, { id: 'b' })])]);
    const tools = scriptedTools({ T: (_input, call) => denied(call.block.id) });
    const onDenial = ({ tool_use_id }: { readonly tool_use_id: string }) => void denials.push(tool_use_id);
    const loop = queryLoop(loopParams(), loopDeps({ callModel: model.callModel, tools, onDenial }));
    for await (const message of loop) if (message.type === 'user') break;
    expect(denials).toEqual(['a', 'b']);
  });
});

describe('model fallback beside a complete call (L4.4)', () => {
  it('names both models and takes effect with the next request', async () => {
    const step = broken({ after: [callTool('T')], failure: { kind: 'overloaded', status: 529 } });
    const { messages } = await run({
      steps: [],
      deps: { callModel: thirdInARow(step, say('Done.')) },
      tools: { T: 'x' },
      params: { model: 'first', fallbackModels: ['second'] },
    });
    expect(outline(messages)).toContain('system:model_fallback');
    expect(messages.find((m) => m.type === 'system')).toMatchObject({
      original_model: 'first',
      fallback_model: 'second',
    });
  });

  it('one overloaded answer is no reason to switch', async () => {
    const step = broken({ after: [callTool('T')], failure: { kind: 'overloaded', status: 529 } });
    const { requests } = await run({
      steps: [step, say('Done.')],
      tools: { T: 'x' },
      params: { model: 'first', fallbackModels: ['second'] },
    });
    expect(requests.map(({ model }) => model)).toEqual(['first', 'first']);
  });
});

function thirdInARow(...steps: Parameters<typeof scriptedModel>[0][number][]): CallModel {
  const model = scriptedModel(steps);
  return async function* (request, options) {
    const outcome = yield* model.callModel(request, options);
    return { ...outcome, retry: { ...outcome.retry, overloadedInARow: 3 } };
  };
}

describe('tool-use summary', () => {
  it('is shown once, in a later iteration', async () => {
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
