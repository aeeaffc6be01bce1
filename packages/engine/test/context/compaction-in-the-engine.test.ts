import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { deferred, fakeTool } from '@turnwright/testing';
import { type Reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import {
  type Body,
  done,
  lookAt,
  refusal,
  rehearsedEngine,
  resultOf,
  SUMMARY,
  script,
  systemWords,
  tokensOf,
} from './rehearsed-engine.ts';

const json = (body: Body | undefined) => JSON.stringify(body?.messages);
/** Two large results bring the context just above its threshold of 12 500 tokens; small ones keep it there. */
const FILLED = [lookAt(6_200), lookAt(6_200)];
const small = (n: number) => Array.from({ length: n }, () => lookAt(250));

const tooLong: Reply = {
  blocks: [],
  faults: [
    { name: 'http-status', status: 400, type: 'invalid_request_error', message: 'prompt is too long' },
  ],
};

describe('a compaction in the real engine', () => {
  it('F33: the work goes on to its end without user input, and nothing is rejected', async () => {
    const run = await rehearsedEngine({ reply: script([...FILLED, ...small(2), done()]) });
    const messages = await run.run('Look around.');
    expect(resultOf(messages)).toMatchObject({
      subtype: 'success',
      result: 'Done.',
      terminal_reason: 'completed',
    });
    expect(run.sent('compaction')).toHaveLength(1);
    expect(systemWords(messages)).toEqual(
      expect.arrayContaining(['status:compacting', 'status:null', 'compact_boundary']),
    );
    expect(run.server.report().rejected).toEqual([]);
    expect(json(run.sent('main').at(-1))).toContain('The gist.');
    expect(json(run.sent('main').at(-1))).toContain('Look around.');
  });

  it('the provider makes the summary where it is asked to; the session goes on with its text', async () => {
    const run = await rehearsedEngine({
      reply: script([...FILLED, ...small(2), done()]),
      config: { compaction: { byProvider: true } },
    });
    const messages = await run.run('Look around.');
    expect(resultOf(messages)).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(run.sent('compaction')).toMatchObject([{ compaction: { type: 'summarize' } }]);
    const compacting = run.server.requests.find(({ body }) => Object.hasOwn(body as object, 'compaction'));
    expect(compacting?.headers['anthropic-beta']).toContain('compact-2026-09-04');
    expect(systemWords(messages)).toContain('compact_boundary');
    expect(run.server.report().rejected).toEqual([]);
    expect(json(run.sent('main').at(-1))).toContain('The gist.');
  });

  it('F15: refused as too long by every strategy, the trim without a model makes the next request fit', async () => {
    const run = await rehearsedEngine({
      reply: script([...FILLED, lookAt(3_000), ...small(2), done()], () => tooLong),
    });
    const messages = await run.run('Look around.');
    expect(resultOf(messages)).toMatchObject({ subtype: 'success', is_error: false, result: 'Done.' });
    const forms = run.sent('compaction').map((body) => json(body)?.length ?? 0);
    expect(Math.min(...forms)).toBeLessThan(Math.max(...forms) / 2);
    expect(json(run.sent('main').at(-1))).toContain('were removed');
  });

  it('F16: one prompt above the window is cut, with a pointer to its full text, and the session goes on', async () => {
    const prompt = `First words. ${tokensOf(30_000)} Last words.`;
    const run = await rehearsedEngine({ reply: script([done()]) });
    const messages = await run.run(prompt);
    expect(resultOf(messages)).toMatchObject({ subtype: 'success', is_error: false, result: 'Done.' });
    const sent = json(run.sent('main')[0]) ?? '';
    expect(sent).toMatch(/First words[\s\S]*characters left out; the whole text is in [\s\S]*Last words/);
    const path = /the whole text is in (\S+)/.exec(sent)?.[1] ?? '';
    expect(readFileSync(path, 'utf8')).toBe(prompt);
    rmSync(dirname(path), { recursive: true });
    expect(run.server.report().rejected).toEqual([]);
  });

  it('F17: a summary model with a smaller window gets pieces that fit, before sending', async () => {
    const small = 'claude-haiku-4-5';
    const run = await rehearsedEngine({
      reply: script([...Array.from({ length: 34 }, () => lookAt(480)), done()]),
      config: { compaction: { model: small }, modelOverrides: { [small]: { contextWindow: 7_500 } } },
      server: { windows: { 'claude-sonnet-4-5': 20_000, [small]: 7_500 } },
    });
    await run.run('Look around.');
    expect(run.sent('compaction').length).toBeGreaterThan(1);
    expect(new Set(run.sent('compaction').map((body) => body.model))).toEqual(new Set([small]));
    expect(run.server.report().rejected).toEqual([]);
    expect(json(run.sent('main').at(-1))).toContain('The gist.');
  });

  it('F18: three failures switch it off with one message, the history stays, and the next prompt re-arms it', async () => {
    let fails = true;
    const run = await rehearsedEngine({
      reply: script([...FILLED, ...small(6), done(), done('Again.')], () => (fails ? refusal(529) : SUMMARY)),
    });
    const messages = await run.run('Look around.');
    expect(resultOf(messages)).toMatchObject({ result: 'Done.' });
    expect(run.sent('compaction')).toHaveLength(3);
    const told = messages.filter(
      (message) => message.type === 'system' && message.subtype === 'informational',
    );
    expect(JSON.stringify(told)).toContain('3 times in a row');
    expect(told.filter((message) => JSON.stringify(message).includes('switched off'))).toHaveLength(1);
    expect(systemWords(messages)).not.toContain('compact_boundary');
    expect(json(run.sent('main').at(-1))?.split('wide wide wide').length).toBeGreaterThan(2_000);

    fails = false;
    const again = await run.run('And now?');
    expect(systemWords(again)).toContain('compact_boundary');
    expect(resultOf(again)).toMatchObject({ result: 'Again.' });
  });

  it('F18, F19: an interrupt ends it at once, without a trace in the conversation', async () => {
    const asked = deferred<void>();
    const run = await rehearsedEngine({
      reply: script([...FILLED, ...small(3), done()], () => {
        asked.resolve();
        return { ...SUMMARY, timing: { headersMs: 3_600_000 } };
      }),
    });
    const running = run.run('Look around.');
    await asked.promise;
    run.engine.interrupt();
    expect(resultOf(await running)).toMatchObject({ subtype: 'error_during_execution' });
    const entries = run.store.entries(run.engine.sessionId);
    expect(entries.some((entry) => entry.type === 'boundary')).toBe(false);
  });

  it('F20: an output cap beside which the input does not fit is lowered; the same request is never made again', async () => {
    const run = await rehearsedEngine({
      reply: script([...FILLED, ...small(3), done()]),
      config: { maxOutputTokens: 9_000, maxRetries: 3 },
    });
    expect(resultOf(await run.run('Look around.'))).toMatchObject({ result: 'Done.' });
    const bodies = run.server.requests.map((request) => JSON.stringify(request.body));
    expect(new Set(bodies).size).toBe(bodies.length);
    const rejected = run.server.report().rejected.map(({ rule }) => rule);
    expect(rejected.filter((rule) => rule !== 'output-over-window')).toEqual([]);
    expect(run.sent('compaction')[0]?.max_tokens).toBeLessThan(9_000);
  });

  it('F21: a floor above the window is one clear error and no request', async () => {
    const run = await rehearsedEngine({
      reply: script([]),
      config: { systemPrompt: tokensOf(25_000) },
    });
    const messages = await run.run('Hello.');
    expect(resultOf(messages)).toMatchObject({ is_error: true, terminal_reason: 'blocking_limit' });
    expect(resultOf(messages)).toMatchObject({
      result: expect.stringMatching(/alone are about [\d,]+ tokens/),
    });
    expect(run.server.requests).toEqual([]);
  });

  it('F21: a floor above the threshold ends in the same error, with no compaction at all', async () => {
    const run = await rehearsedEngine({
      reply: script([lookAt(10), lookAt(10), lookAt(10)]),
      config: { systemPrompt: tokensOf(17_000) },
    });
    expect(resultOf(await run.run('Hello.'))).toMatchObject({ terminal_reason: 'blocking_limit' });
    expect(run.sent('compaction')).toEqual([]);
  });

  it('F22: three refills within three turns stop the run and name the cause; a later prompt re-arms it', async () => {
    const run = await rehearsedEngine({
      reply: script([...Array.from({ length: 8 }, () => lookAt(9_000)), done()].slice(-6)),
      server: { lenient: ['output-over-window'] },
    });
    const messages = await run.run('Look around.');
    expect(resultOf(messages)).toMatchObject({
      terminal_reason: 'rapid_refill_breaker',
      result: expect.stringContaining('a result of Look'),
    });
    const before = run.sent('compaction').length;
    expect(before).toBe(3);
    const again = await run.run('Go on.');
    expect(systemWords(again)).toContain('compact_boundary');
    expect(resultOf(again)).toMatchObject({ terminal_reason: 'completed' });
  });

  it('F23: usage from before a compaction does not bring about a second one', async () => {
    const run = await rehearsedEngine({ reply: script([...FILLED, ...small(6), done()]) });
    await run.run('Look around.');
    expect(run.sent('compaction')).toHaveLength(1);
  });

  it('F24: the window of a model that is in no table is asked of its endpoint, and known to the first step', async () => {
    const run = await rehearsedEngine({
      reply: () => done(),
      window: undefined,
      server: { models: { 'house-model': { window: 24_000, maxOutput: 4_000 } } },
      config: { model: 'house-model' },
    });
    await run.run('Hello.');
    expect(run.decisions()[0]?.context?.window).toBe(24_000);
    expect(run.server.requests.map(({ path }) => path)).toEqual(['/v1/models/house-model', '/v1/messages']);
    expect(run.sent('main')[0]?.max_tokens).toBe(4_000);
  });

  it('F26: where nothing can be compacted, no strike is counted, and it works once the session has grown', async () => {
    const run = await rehearsedEngine({ reply: script([lookAt(16_000), lookAt(100), done()]) });
    const messages = await run.run('Look.');
    expect(resultOf(messages)).toMatchObject({ result: 'Done.' });
    const why = run.decisions().map(({ prepare }) => prepare.find(({ step }) => step === 'autocompact')?.why);
    expect(why).toEqual(expect.arrayContaining([expect.stringContaining('kept tail')]));
    expect(run.sent('compaction')).toHaveLength(1);
    expect(messages.filter((message) => JSON.stringify(message).includes('switched off'))).toEqual([]);
  });

  it('a refusal without a figure, of a view that fits the kept tail: its texts are shortened, once', async () => {
    const config = { compaction: { window: 200_000 } };
    const helped = await rehearsedEngine({ reply: script([lookAt(6_000), tooLong, done()]), config });
    expect(resultOf(await helped.run('Look.'))).toMatchObject({ subtype: 'success', result: 'Done.' });
    const sizes = helped.sent('main').map((body) => (json(body) ?? '').length);
    expect(sizes).toHaveLength(3);
    expect(sizes[2]).toBeLessThan((sizes[1] ?? 0) / 2);
    expect(helped.sent('compaction')).toEqual([]);
    const beyond = await rehearsedEngine({ reply: script([lookAt(6_000), tooLong, tooLong]), config });
    expect(resultOf(await beyond.run('Look.'))).toMatchObject({ terminal_reason: 'prompt_too_long' });
  });

  describe('a refusal proves the estimate wrong: by it, everything fits into the kept tail', () => {
    const config = { compaction: { window: 200_000 } };
    const tooLarge: Reply = { blocks: [], faults: [{ name: 'http-status', status: 413 }] };

    it.each([
      ['400', tooLong],
      ['413', tooLarge],
    ])('all but the last round is summarised, and the request is made again (%s)', async (_, refused) => {
      const run = await rehearsedEngine({ reply: script([...small(3), refused, done()]), config });
      const messages = await run.run('Look around.');
      expect(resultOf(messages)).toMatchObject({ subtype: 'success', is_error: false, result: 'Done.' });
      expect(run.sent('compaction')).toHaveLength(1);
      expect(systemWords(messages)).toContain('compact_boundary');
      const last = json(run.sent('main').at(-1)) ?? '';
      expect(last).toContain('The gist.');
      expect(last).toContain('Look around.');
      expect(last.match(/"tool_use"/g)).toHaveLength(1);
      expect(
        run
          .decisions()
          .flatMap(({ decision }) => (decision?.kind === 'continue' ? [decision.transition] : [])),
      ).toEqual([...small(3).map(() => 'next_turn'), 'reactive_compact_retry']);
    });

    it('without a summary the oldest rounds are dropped, and a smaller last attempt is made', async () => {
      const run = await rehearsedEngine({
        reply: script([...small(3), tooLong, done()], () => refusal(400)),
        config,
      });
      expect(resultOf(await run.run('Look around.'))).toMatchObject({ is_error: false, result: 'Done.' });
      const last = json(run.sent('main').at(-1)) ?? '';
      expect(last).toContain('were removed');
      expect(last).toContain('Look around.');
      expect(last.match(/"tool_use"/g)).toHaveLength(2);
    });

    it('refused again after the summary: what stays is cut, and what is refused even then is shown, once', async () => {
      const refusedTwice = [lookAt(250), lookAt(250), lookAt(6_000), tooLong, tooLong];
      const helped = await rehearsedEngine({ reply: script([...refusedTwice, done()]), config });
      expect(resultOf(await helped.run('Look around.'))).toMatchObject({ is_error: false, result: 'Done.' });
      const sizes = helped.sent('main').map((body) => (json(body) ?? '').length);
      expect(sizes[5]).toBeLessThan((sizes[4] ?? 0) / 2);

      const beyond = await rehearsedEngine({ reply: script([...refusedTwice, tooLong]), config });
      const messages = await beyond.run('Look around.');
      expect(resultOf(messages)).toMatchObject({ terminal_reason: 'prompt_too_long', is_error: true });
      expect(
        messages.filter((message) => message.type === 'assistant' && message.is_api_error_message),
      ).toHaveLength(1);
      expect(beyond.sent('main')).toHaveLength(6);
    });
  });

  describe('what is counted lies far above the estimate', () => {
    const counted = (reply: Reply, tokens: number): Reply => ({ ...reply, usage: { input_tokens: tokens } });
    const dense = [counted(lookAt(10), 5_000), counted(lookAt(10), 30_000), counted(lookAt(10), 80_000)];

    it('the summary is made in time, of all but what the tail may hold in real tokens', async () => {
      const run = await rehearsedEngine({ reply: script([...dense, done()]), window: 100_000 });
      expect(resultOf(await run.run('Look around.'))).toMatchObject({ is_error: false, result: 'Done.' });
      expect(run.sent('compaction')).toHaveLength(1);
      const last = json(run.sent('main').at(-1)) ?? '';
      expect(last).toContain('The gist.');
      expect(last.match(/"tool_use"/g)).toHaveLength(1);
    });

    it('the warning does not blame what the first answer has shown to be small', async () => {
      const near = [counted(lookAt(10), 5_000), counted(lookAt(10), 85_000)];
      const run = await rehearsedEngine({ reply: script([...near, done()]), window: 120_000 });
      const words = (await run.run('Look around.')).flatMap((message) =>
        message.type === 'system' && message.subtype === 'informational' ? [message.content] : [],
      );
      expect(words).toEqual([expect.stringContaining('usable tokens')]);
      expect(words[0]).not.toContain('system prompt');
    });
  });

  it('messages before the first boundary are released while the submission still runs', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const outputs: WeakRef<object>[] = [];
    let alive: readonly boolean[] = [];
    const large = fakeTool({
      name: 'Large',
      answer() {
        const data = { of: 'this call' };
        outputs.push(new WeakRef(data));
        return { data, content: tokensOf(6_600) };
      },
    });
    const weigh = fakeTool({
      name: 'Weigh',
      async answer() {
        for (let round = 0; round < 5; round++) {
          await new Promise((resolve) => setImmediate(resolve));
          collectGarbage();
        }
        alive = outputs.map((output) => output.deref() !== undefined);
        return 'Weighed.';
      },
    });
    const call = (name: string): Reply => ({ blocks: [toolUse(name, {})] });
    const run = await rehearsedEngine({
      reply: script([call('Large'), call('Large'), call('Small'), call('Weigh'), done()]),
      config: { tools: [large, fakeTool({ name: 'Small' }), weigh] },
    });
    for await (const _ of run.engine.submitMessage('Look around.'));
    expect(run.sent('compaction')).toHaveLength(1);
    // The last round before the boundary is the kept tail.
    expect(alive).toEqual([false, true]);
  });

  it('F27: with compaction off, an overflow that the provider reports is a typed stop', async () => {
    const run = await rehearsedEngine({
      reply: script([lookAt(6_000)]),
      config: { compaction: { auto: false, window: 100_000 } },
      server: { windows: { 'claude-sonnet-4-5': 5_000 } },
    });
    expect(resultOf(await run.run('Look.'))).toMatchObject({
      terminal_reason: 'prompt_too_long',
      is_error: true,
    });
    expect(run.sent('compaction')).toEqual([]);
  });

  it('F30: a request of several parts is byte-identical behind two compactions', async () => {
    const picture =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const parts = [
      { type: 'text', text: 'Look at this:  \r\n' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
      { type: 'text', text: '\tand then *that*.' },
    ] as const;
    const run = await rehearsedEngine({
      reply: script([...FILLED, ...small(2), ...FILLED, ...small(2), done()]),
    });
    for await (const _ of run.engine.submitMessage(parts));
    expect(run.sent('compaction')).toHaveLength(2);
    const first = blocksOf(run.sent('main')[0]);
    const last = blocksOf(run.sent('main').at(-1));
    for (const part of first.slice(0, 3)) expect(last).toContainEqual(part);
  });
});

function blocksOf(body: Body | undefined): unknown[] {
  return (body?.messages ?? []).flatMap(({ content }) =>
    Array.isArray(content)
      ? content.map(({ cache_control: _, ...block }: { cache_control?: unknown }) => block)
      : [{ type: 'text', text: content }],
  );
}
