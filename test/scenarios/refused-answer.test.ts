/** A refused answer, where another model is named: it is asked once, and nothing of the refusal runs (L4.4). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reply, text, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from './outline.ts';
import { MODEL, rehearse, submissions, successOf } from './rehearse.ts';
import { blocksOf, messageRequests } from './sent.ts';

const FALLBACK = 'claude-sonnet-5';
const OTHER = 'claude-haiku-5-5';
const options = { model: MODEL, fallbackModel: FALLBACK };
const details = { category: 'cyber', explanation: 'Because.', fallback_credit_token: 'tok_1' };
const refuses = (...said: Parameters<typeof reply>[0][]) =>
  reply(said.flat() as Parameters<typeof reply>[0], { stop_reason: 'refusal', stop_details: details });

type Run = Awaited<ReturnType<typeof rehearse>>;
const models = (run: Run) => run.sent.map(({ model }) => model);
const asksForCredit = (run: Run) =>
  messageRequests(run.server).map(({ headers }) =>
    String(headers['anthropic-beta']).includes('fallback-credit-'),
  );
const notice = (run: Run) =>
  run.messages.find((message) => message.type === 'system' && message.subtype === 'model_refusal_fallback');

describe('a refused answer (L4.4)', () => {
  it('F169 the fallback model answers; the refusal is retracted, noted, and in no request', async () => {
    const run = await rehearse({
      options,
      ...submissions('one', 'two'),
      replies: [refuses('I cannot.'), reply('Done.'), reply('Again.')],
    });
    expect(models(run)).toEqual([MODEL, FALLBACK, MODEL]);
    expect(outline(run.messages)).toEqual([
      'init',
      'text',
      'model_refusal_fallback',
      'text, supersedes 1',
      'result:success',
      'init',
      'text',
      'result:success',
    ]);
    const [refused] = run.messages.filter(({ type }) => type === 'assistant');
    expect(notice(run)).toMatchObject({
      trigger: 'refusal',
      direction: 'retry',
      scope: 'local',
      original_model: MODEL,
      fallback_model: FALLBACK,
      request_id: expect.any(String),
      api_refusal_category: 'cyber',
      api_refusal_explanation: 'Because.',
      retracted_message_uuids: [refused?.uuid],
      refused_user_message_uuid: null,
      content: `${MODEL} refused to answer; ${FALLBACK} takes over for the rest of this submission.`,
    });
    for (const { messages } of run.sent.slice(1)) expect(JSON.stringify(messages)).not.toContain('I cannot.');
    expect(run.decisions[0]).toMatchObject({
      fallback: { from: MODEL, to: FALLBACK, trigger: 'refusal' },
      wastedCostUsd: expect.any(Number),
    });
    expect(decided(run.decisions)).toEqual(['stop completed', 'stop completed']);
    const results = run.messages.filter((message) => message.type === 'result');
    expect(results).toMatchObject([
      { subtype: 'success', result: 'Done.', stop_reason: 'end_turn', safety_stops: 1, num_turns: 1 },
      { subtype: 'success', result: 'Again.' },
    ]);
    const [first] = results;
    expect(Object.keys(first?.modelUsage ?? {})).toEqual([MODEL, FALLBACK]);
  });

  it('the credit of the refusal is redeemed by the request that follows it, and by no other', async () => {
    const run = await rehearse({
      options,
      replies: [refuses('No.'), reply(toolUse('Bash', { command: 'echo x' })), reply('Done.')],
    });
    expect(
      run.sent.map((body) => (body as { fallback_credit_token?: unknown }).fallback_credit_token),
    ).toEqual([undefined, { token: 'tok_1', mode: 'best_effort' }, undefined]);
    expect(asksForCredit(run)).toEqual([true, true, false]);
  });

  it('F170 calls of a refused answer do not run, and the next model does not see them', async () => {
    const run = await rehearse({
      options,
      replies: [refuses(text('I do.'), toolUse('Bash', { command: 'echo x >> ran.txt' })), reply('Done.')],
    });
    expect(existsSync(join(run.cwd, 'ran.txt'))).toBe(false);
    expect(blocksOf(run.sent[1], 'tool_use')).toEqual([]);
    expect(outline(run.messages)).toEqual([
      'init',
      'text',
      'tool_use',
      'model_refusal_fallback',
      'text, supersedes 2',
      'result:success',
    ]);
    expect(run.entries.filter(({ type }) => type === 'intent')).toEqual([]);
  });

  it('once: the second refusal is the answer', async () => {
    const run = await rehearse({
      options: { ...options, fallbackModel: `${FALLBACK},${OTHER}` },
      replies: [refuses('No.'), refuses('No, too.')],
    });
    expect(models(run)).toEqual([MODEL, FALLBACK]);
    expect(outline(run.messages).slice(-4)).toEqual([
      'model_refusal_fallback',
      'text, supersedes 1',
      'model_refusal_no_fallback',
      'result:success',
    ]);
    expect(
      run.messages.find((m) => m.type === 'system' && m.subtype === 'model_refusal_no_fallback'),
    ).toMatchObject({
      original_model: FALLBACK,
      api_refusal_category: 'cyber',
      api_refusal_explanation: 'Because.',
    });
    expect(successOf(run)).toMatchObject({ result: 'No, too.', stop_reason: 'refusal', safety_stops: 2 });
  });

  it('without a fallback model the refusal is the answer, and its calls are answered', async () => {
    const run = await rehearse({
      options: { model: MODEL },
      replies: [refuses(toolUse('Bash', { command: 'echo x >> ran.txt' }, 'call_1'))],
    });
    expect(existsSync(join(run.cwd, 'ran.txt'))).toBe(false);
    expect(models(run)).toEqual([MODEL]);
    expect(asksForCredit(run)).toEqual([false]);
    expect(outline(run.messages)).toContain('tool_result');
  });

  it('a Stop hook runs on the answer that counts alone', async () => {
    let stops = 0;
    await rehearse({
      options: {
        ...options,
        hooks: {
          Stop: [
            {
              hooks: [
                async () => {
                  stops += 1;
                  return {};
                },
              ],
            },
          ],
        },
      },
      replies: [refuses('No.'), reply('Done.')],
    });
    expect(stops).toBe(1);
  });
});
