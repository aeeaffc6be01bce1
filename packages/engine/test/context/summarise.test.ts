import {
  broken,
  callTool,
  countingLedger,
  fail,
  hang,
  reply,
  retries,
  type ScriptStep,
  say,
  scriptedModel,
  sequentialIds,
  think,
  virtualClock,
} from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { createSummarise } from '../../src/context/compact/summarise.ts';
import { extractSummary, summaryRequest } from '../../src/context/compact/summary-prompt.ts';
import type { LoopMessage } from '../../src/protocol/model/messages.ts';
import { session } from './conversation.ts';

const messages = session('a', 2, 100);

async function summarise(
  script: readonly ScriptStep[],
  signal = new AbortController().signal,
  ledger = countingLedger(),
  providerSummarises = () => false,
) {
  const model = scriptedModel(script);
  const tools = [{ name: 'Bash', input_schema: { type: 'object' } }];
  const ask = createSummarise({
    callModel: model.callModel,
    ledger,
    clock: virtualClock(),
    ids: sequentialIds(),
    mainRequest: () => ({
      sessionId: 's',
      foreground: true,
      system: ['System.'],
      tools,
      maxTokens: 8_000,
      thinking: { type: 'adaptive' },
    }),
    providerSummarises,
  });
  const input = {
    messages,
    model: 'm',
    instruction: summaryRequest({ instructions: ['Keep the colours.'] }),
    effectKey: 's/1/compact/1',
    signal,
  };
  const yielded: LoopMessage[] = [];
  const outcome = await ask(input, { emit: (batch) => void yielded.push(...batch) });
  return { outcome, yielded, model, ledger, tools };
}

describe('a summary', () => {
  it("is asked for with the main request's system, tools and thinking, behind the messages as they stand", async () => {
    const { outcome, model, ledger, tools } = await summarise([
      reply([think(), say('<analysis>long</analysis>\n<summary>\nAll good.\n</summary>')], {
        usage: { output_tokens: 77 },
      }),
    ]);
    expect(outcome).toEqual({ kind: 'summary', text: 'All good.' });
    const [request] = model.requests;
    expect(request).toMatchObject({
      querySource: 'compact',
      system: ['System.'],
      thinking: { type: 'adaptive' },
      maxTokens: 8_000,
      effectKey: 's/1/compact/1/1',
      stream: true,
    });
    expect(request?.tools).toBe(tools);
    expect(request?.view.slice(0, -1)).toEqual(messages);
    expect(request?.view[0]).toBe(messages[0]);
    expect(JSON.stringify(request?.view.at(-1))).toContain('Keep the colours.');
    expect(ledger.settled).toMatchObject([
      { effectKey: 's/1/compact/1/1', main: false, usage: { output_tokens: 77 } },
    ]);
  });

  it.each([
    ['', ''],
    ['  \n', ''],
    ['<analysis>only thoughts</analysis>', ''],
    ['<analysis>cut in the middle', ''],
    ['<summary></summary>', ''],
    ['<summary>  </summary>', ''],
    [
      '<analysis>a <b></analysis><summary>It says </summary> in code.</summary> bye',
      'It says </summary> in code.',
    ],
    ['<summary>cut off', 'cut off'],
    ['<analysis>never closed <summary>still found</summary>', 'still found'],
    ['No tags at all.', 'No tags at all.'],
  ])('F09: out of %j comes %j', (given, expected) => {
    expect(extractSummary(given)).toBe(expected);
  });

  it('asks for both parts in its request', () => {
    expect(summaryRequest({})).toMatch(/<analysis>[\s\S]*<summary>/);
  });
});

describe('a summary that the provider makes', () => {
  const compaction = (content: string | null): ScriptStep => ({
    kind: 'reply',
    parts: [{ kind: 'block', block: { type: 'compaction', content, encrypted_content: null } }],
    options: { stopReason: 'compaction' },
  });
  const byProvider = (script: readonly ScriptStep[]) =>
    summarise(script, undefined, countingLedger(), () => true);

  it('is asked for without words of ours, and kept as it is', async () => {
    const { outcome, model, ledger } = await byProvider([compaction('All is well. <summary> is a word.')]);
    expect(outcome).toEqual({ kind: 'summary', text: 'All is well. <summary> is a word.' });
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]).toMatchObject({ summarises: true });
    expect(model.requests[0]?.view.slice()).toEqual(messages);
    expect(ledger.settled.map(({ wasted }) => wasted)).toEqual([undefined]);
  });

  it.each([
    ['made none', compaction(null), true],
    ['does not know how, and says so', fail({ kind: 'invalid_request', status: 400 }), false],
    ['does not know how, and answers the conversation', say('Shall I go on?'), true],
  ])('one that %s is asked as any other', async (_, first, isPaid) => {
    const { outcome, model, ledger } = await byProvider([first, say('<summary>Ours.</summary>')]);
    expect(outcome).toEqual({ kind: 'summary', text: 'Ours.' });
    expect(model.requests.map(({ summarises }) => summarises)).toEqual([true, undefined]);
    expect(model.requests[1]?.view.slice(0, -1)).toEqual(messages);
    expect(ledger.settled.map(({ wasted }) => wasted)).toEqual(isPaid ? [true, undefined] : [undefined]);
  });

  it('a refusal as too long goes to the ladder, and trouble of the provider ends it as ever', async () => {
    const tooLong = await byProvider([fail({ kind: 'prompt_too_long', status: 400 })]);
    expect(tooLong.outcome).toMatchObject({ kind: 'failed', failure: { kind: 'prompt_too_long' } });
    const down = await byProvider([fail({ kind: 'overloaded', status: 529 })]);
    expect(down.outcome).toMatchObject({ kind: 'failed', failure: { kind: 'overloaded' } });
  });
});

describe('a summary that fails', () => {
  it('F09: a blank one is asked for once more, then it is a failure', async () => {
    const second = await summarise([say(' '), say('<summary>Now.</summary>')]);
    expect(second.outcome).toEqual({ kind: 'summary', text: 'Now.' });
    const never = await summarise([say(''), callTool('Bash')]);
    expect(never.outcome).toMatchObject({ kind: 'failed', failure: { kind: 'protocol' } });
    expect(never.ledger.settled).toHaveLength(2);
  });

  it('does not take a refusal for a summary', async () => {
    const refusal = say('I cannot help with that.', { stopReason: 'refusal' });
    expect((await summarise([refusal, refusal])).outcome).toMatchObject({ kind: 'failed' });
  });

  it('F18: a failed call is a value', async () => {
    const { outcome } = await summarise([fail({ kind: 'overloaded', status: 529 })]);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'overloaded' } });
  });

  it('asks again when the stream breaks, counts what was lost as waste, and hands the retry state on', async () => {
    const { outcome, model, ledger } = await summarise([
      broken({ after: [say('<summary>ha')] }),
      say('<summary>whole</summary>'),
    ]);
    expect(outcome).toEqual({ kind: 'summary', text: 'whole' });
    expect(model.requests[1]?.options.after).toMatchObject({ failure: { kind: 'cut' }, immediate: false });
    expect(ledger.settled.map((spent) => spent.wasted ?? false)).toEqual([true, false]);
  });

  it('gives up after three broken streams', async () => {
    const { outcome, model } = await summarise([broken(), broken(), broken()]);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'cut' } });
    expect(model.requests).toHaveLength(3);
  });

  it('shows retries while it waits', async () => {
    const { yielded } = await summarise([
      retries([{ delayMs: 900, status: 529 }], say('<summary>x</summary>')),
    ]);
    expect(yielded).toMatchObject([
      { type: 'system', subtype: 'api_retry', retry_delay_ms: 900, error_status: 529 },
    ]);
  });

  it('F19: ends at once on abort', async () => {
    const controller = new AbortController();
    const running = summarise([hang(say('<summary>ha'))], controller.signal);
    controller.abort('user');
    expect((await running).outcome).toEqual({ kind: 'aborted' });
  });

  it('that the budget cannot pay for is not asked for again', async () => {
    const refused = { kind: 'budget', message: 'No money left.' } as const;
    const { outcome, model } = await summarise([fail(refused)]);
    expect(outcome).toEqual({ kind: 'failed', failure: refused });
    expect(model.requests).toHaveLength(1);
  });
});
