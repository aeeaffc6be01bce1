/** The third overloaded answer in a row, inside a stream that has begun: what happens to what it held (L4.3, L4.4). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply, type ScriptedReply, thinking, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { outline } from './outline.ts';
import { MODEL, rehearse, successOf } from './rehearse.ts';
import { blocksOf } from './sent.ts';

const FALLBACK = 'claude-sonnet-5';
const options = { model: MODEL, fallbackModel: FALLBACK };

/** Two 529, then a stream that breaks with `overloaded_error` after this many events. */
const overloadedAfter = (events: number, ...blocks: Parameters<typeof reply>[0][]): ScriptedReply =>
  reply(blocks.flat() as Parameters<typeof reply>[0], {
    faults: [
      { name: 'http-status', status: 529, retryAfter: '0', times: 2 },
      { name: 'sse-error', after: events, type: 'overloaded_error' },
    ],
  });

const models = (run: Awaited<ReturnType<typeof rehearse>>) => run.sent.map(({ model }) => model);

describe('a stream that is the third overloaded answer in a row (L4.4)', () => {
  it('a complete call runs once; the fallback model is asked next and sees call and result', async () => {
    const run = await rehearse({
      options,
      replies: [
        // message_start, then start, delta and stop of the call.
        overloadedAfter(4, toolUse('Bash', { command: 'echo x >> ran.txt; echo written' }, 'call_1')),
        reply('Done.'),
      ],
    });
    expect(readFileSync(join(run.cwd, 'ran.txt'), 'utf8')).toBe('x\n');
    expect(models(run)).toEqual([MODEL, MODEL, MODEL, FALLBACK]);
    expect(blocksOf(run.sent[3], 'tool_use')).toMatchObject([{ id: 'call_1' }]);
    expect(blocksOf(run.sent[3], 'tool_result')).toMatchObject([
      { tool_use_id: 'call_1', content: 'written' },
    ]);
    expect(outline(run.messages).filter((word) => word !== 'tool_result')).toEqual([
      'init',
      'api_retry',
      'api_retry',
      'tool_use',
      'error:server_error',
      'model_fallback',
      'text',
      'result:success',
    ]);
    expect(
      run.messages.find((message) => message.type === 'system' && message.subtype === 'model_fallback'),
    ).toMatchObject({
      trigger: 'overloaded',
      original_model: MODEL,
      fallback_model: FALLBACK,
      content: expect.stringMatching(`${MODEL}.*${FALLBACK}`),
    });
    expect(run.entries.filter(({ type }) => type === 'retract')).toEqual([]);
    expect(run.decisions[0]?.fallback).toEqual({ from: MODEL, to: FALLBACK, trigger: 'overloaded' });
    expect(successOf(run)).toMatchObject({ is_error: false, result: 'Done.', num_turns: 2 });
  });

  it('a call that still runs is awaited, and the fallback model sees its result', async () => {
    const run = await rehearse({
      options,
      files: {
        'wait.sh': 'until [ -e go ]; do sleep 0.02; done; echo x >> ran.txt; echo waited',
      },
      replies: [overloadedAfter(4, toolUse('Bash', { command: 'sh wait.sh' }, 'call_1')), reply('Done.')],
      onMessage: (message, { cwd }) => {
        if (message.type === 'system' && message.subtype === 'model_fallback')
          writeFileSync(join(cwd, 'go'), '');
      },
    });
    expect(readFileSync(join(run.cwd, 'ran.txt'), 'utf8')).toBe('x\n');
    expect(models(run)).toEqual([MODEL, MODEL, MODEL, FALLBACK]);
    expect(blocksOf(run.sent[3], 'tool_result')).toMatchObject([
      { tool_use_id: 'call_1', content: 'waited' },
    ]);
    expect(run.entries.filter(({ type }) => type === 'intent')).toHaveLength(1);
    expect(run.entries.filter(({ type }) => type === 'unknown')).toEqual([]);
  });

  it('F54 a call that was not complete never runs; its text is superseded by the fallback model’s answer', async () => {
    const run = await rehearse({
      options,
      replies: [
        // message_start, three events of the text, then start and delta of the call.
        overloadedAfter(6, ['I write.', toolUse('Bash', { command: 'echo x >> ran.txt' }, 'call_1')]),
        reply('Done.'),
      ],
    });
    expect(existsSync(join(run.cwd, 'ran.txt'))).toBe(false);
    expect(models(run)).toEqual([MODEL, MODEL, MODEL, FALLBACK]);
    expect(outline(run.messages)).toEqual([
      'init',
      'api_retry',
      'api_retry',
      'text',
      'model_fallback',
      'text, supersedes 1',
      'result:success',
    ]);
    expect(JSON.stringify(run.sent[3]?.messages)).not.toContain('I write.');
  });

  it('F55 thinking that the first model signed is not sent to the fallback model, its calls are', async () => {
    const run = await rehearse({
      options: { ...options, thinking: { type: 'adaptive' } },
      replies: [
        overloadedAfter(8, [thinking('I should write.'), toolUse('Bash', { command: 'echo x' }, 'call_1')]),
        reply([thinking('It is written.'), 'Done.']),
      ],
    });
    expect(blocksOf(run.sent[3], 'thinking')).toEqual([]);
    expect(blocksOf(run.sent[3], 'tool_use')).toMatchObject([{ id: 'call_1' }]);
    // On record it stays, for the model that signed it.
    expect(JSON.stringify(run.entries)).toContain('I should write.');
    expect(successOf(run).result).toBe('Done.');
  });

  it('without a fallback model the call is kept the same way, and the same model is asked next', async () => {
    const run = await rehearse({
      replies: [
        overloadedAfter(4, toolUse('Bash', { command: 'echo x >> ran.txt' }, 'call_1')),
        reply('Done.'),
      ],
    });
    expect(readFileSync(join(run.cwd, 'ran.txt'), 'utf8')).toBe('x\n');
    expect(models(run)).toEqual([MODEL, MODEL, MODEL, MODEL]);
    expect(outline(run.messages)).not.toContain('model_fallback');
  });
});
