import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import {
  callTool,
  fail,
  idleHooks,
  loopDeps,
  loopParams,
  recorder,
  runLoop,
  type ScriptStep,
  say,
  scriptedModel,
  scriptedTools,
} from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { type ContextOptions, createContext } from '../../src/context/context-port.ts';
import { queryLoop } from '../../src/loop/query-loop.ts';
import { isWhole, prompt, prose, session } from './conversation.ts';

const WINDOW = 20_000;
const SUMMARY = say('<analysis>Hm.</analysis><summary>The gist.</summary>', {
  usage: { input_tokens: 9_000 },
});
const usage = (input_tokens: number) => ({ usage: { input_tokens, output_tokens: 10 } });

async function drive(
  script: readonly ScriptStep[],
  options: Partial<ContextOptions> & { readonly earlier?: number } = {},
) {
  const { earlier = 0, ...more } = options;
  const model = scriptedModel(script);
  const base = loopDeps({
    callModel: model.callModel,
    recorder: recorder(),
    tools: scriptedTools({ Look: prose(2_500) }),
  });
  const { callModel, clock, ids, ledger } = base;
  const context = createContext({
    callModel,
    clock,
    ids,
    ledger,
    hooks: idleHooks,
    spill: async () => ({ path: '/tool-results/a.txt' }),
    modelSize: () => ({ contextWindow: WINDOW, maxOutputTokens: 4_000 }),
    mainRequest: () => ({
      sessionId: 'session-1',
      foreground: true,
      system: [],
      tools: [],
      maxTokens: 4_000,
    }),
    ...more,
  });
  const view = PersistentList.from([...session('earlier', earlier, 3_000), prompt('asked', 'Look around.')]);
  const { messages, terminal } = await runLoop(queryLoop, loopParams({ view: () => view }), {
    ...base,
    context,
  });
  for (const { view: sent } of model.requests) expect(isWhole(sent)).toBe(true);
  return {
    terminal,
    model,
    sources: model.requests.map((request) => request.querySource),
    subtypes: messages.flatMap((message) => (message.type === 'system' ? [message.subtype] : [])),
    messages,
  };
}

describe('in the real loop', () => {
  it('F33: a context that fills up is compacted, and the work goes on to its end', async () => {
    const { terminal, model, sources, subtypes } = await drive([
      callTool('Look', {}, usage(5_000)),
      callTool('Look', {}, usage(13_000)),
      SUMMARY,
      say('Done.', usage(3_000)),
    ]);
    expect(terminal.reason).toBe('completed');
    expect(sources).toEqual(['main', 'main', 'compact', 'main']);
    expect(subtypes).toEqual(['informational', 'status', 'status', 'compact_boundary']);
    const last = model.requests.at(-1)?.view ?? [];
    expect(last[0]).toMatchObject({ kind: 'summary' });
    expect(last).toContainEqual(expect.objectContaining({ uuid: 'asked' }));
    model.assertComplete();
  });

  it('F22: one that is full again after each compaction stops as rapid_refill_breaker', async () => {
    const full = callTool('Look', {}, usage(15_000));
    const { terminal, sources, messages } = await drive([
      full,
      full,
      SUMMARY,
      full,
      SUMMARY,
      full,
      SUMMARY,
      full,
    ]);
    expect(terminal.reason).toBe('rapid_refill_breaker');
    expect(sources.filter((source) => source === 'compact')).toHaveLength(3);
    expect(JSON.stringify(messages.at(-1))).toContain('tool definitions');
  });

  it('an overflow is withheld, compacted and asked again', async () => {
    const overflow = fail({ kind: 'prompt_too_long', status: 400 });
    const { terminal, sources, messages } = await drive([overflow, SUMMARY, say('Done.')], { earlier: 2 });
    expect(terminal.reason).toBe('completed');
    expect(sources).toEqual(['main', 'compact', 'main']);
    expect(messages.some((message) => message.type === 'assistant' && message.synthetic)).toBe(false);
  });

  it('F15: when no summary can be had either, the trim needs no model', async () => {
    const overflow = fail({ kind: 'prompt_too_long', status: 400 });
    const { terminal, sources, model } = await drive(
      [overflow, fail({ kind: 'server_error' }), say('Done.')],
      { earlier: 2 },
    );
    expect(terminal.reason).toBe('completed');
    expect(sources).toEqual(['main', 'compact', 'main']);
    expect(model.requests[2]?.view.length).toBeLessThan(model.requests[0]?.view.length ?? 0);
  });

  it('F27: without compaction a full context stops as blocking_limit, without a request', async () => {
    const { terminal, sources } = await drive([], { autocompact: false, earlier: 6 });
    expect(terminal.reason).toBe('blocking_limit');
    expect(sources).toEqual([]);
  });

  it('F18: a compaction that fails leaves the conversation as it was', async () => {
    const { terminal, sources, model } = await drive([fail({ kind: 'overloaded' }), say('Done.')], {
      earlier: 5,
    });
    expect(terminal.reason).toBe('completed');
    expect(sources).toEqual(['compact', 'main']);
    expect(model.requests[1]?.view).toHaveLength(13);
  });
});
