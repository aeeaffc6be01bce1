/** A run that nobody watches, through `query()`: twenty virtual minutes of overload, then a quota that is used up. */

import { type Options, query, type SDKMessage } from '@turnwright/engine';
import type { ServerAnswer } from '@turnwright/testing';
import { expect, it, onTestFinished } from 'vitest';
import { skippingClock } from '../../model/skipping-clock.ts';
import { startMessagesServer } from '../../model/wires/messages-server.ts';
import { tempFolder } from '../temp-folder.ts';

const MINUTE_MS = 60_000;
const OVERLOAD_MS = 20 * MINUTE_MS;
const RESET_MS = 120 * MINUTE_MS;

const says = (text: string): ServerAnswer => ({ kind: 'message', parts: [{ kind: 'text', text }] });
const WRITES: ServerAnswer = {
  kind: 'message',
  parts: [
    { kind: 'call', id: 'toolu_1', name: 'Bash', input: { command: 'echo x >> ran.txt; cat ran.txt' } },
  ],
};
const OVERLOADED: ServerAnswer = { kind: 'refusal', reason: 'overloaded' };

async function started(options: Options = {}) {
  const server = await startMessagesServer();
  onTestFinished(() => server.close());
  const clock = skippingClock();
  const messages: SDKMessage[] = [];
  const run = async (onRetry: () => void = () => {}) => {
    const running = query({
      prompt: 'Go.',
      options: {
        cwd: tempFolder(),
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        ...options,
        env: {
          ANTHROPIC_API_KEY: 'key',
          ANTHROPIC_BASE_URL: server.url,
          PATH: process.env['PATH'],
          TURNWRIGHT_HOME: tempFolder(),
        },
        engine: { clock, random: () => 0, ...options.engine },
      },
    });
    for await (const message of running) {
      messages.push(message);
      if (message.type === 'system' && message.subtype === 'api_retry') onRetry();
    }
    return messages.at(-1);
  };
  const retries = () =>
    messages.flatMap((message) =>
      message.type === 'system' && message.subtype === 'api_retry' ? [message] : [],
    );
  return { server, clock, messages, run, retries };
}

it('F50 F57 twenty minutes of 529 and a quota that resets in two hours: the run goes on, and shows each wait', async () => {
  const { server, clock, run, retries } = await started({ persistentRetry: true });
  const busy = Array.from({ length: 200 }, () => OVERLOADED);
  server.answerWith(WRITES, ...busy);
  let calm = false;
  const result = await run(() => {
    if (calm || clock.monotonicMs() < OVERLOAD_MS) return;
    calm = true;
    const reset = String((clock.nowMs() + RESET_MS) / 1000);
    server.answerWith(
      WRITES,
      { kind: 'refusal', reason: 'rate_limited', headers: { 'anthropic-ratelimit-unified-reset': reset } },
      says('Done.'),
    );
  });
  expect(result).toMatchObject({ subtype: 'success', is_error: false, result: 'Done.', num_turns: 3 });
  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(OVERLOAD_MS + RESET_MS);
  // Each call ran once, however often the request behind it was made.
  expect(server.received.at(-1)?.body.match(/"content":"x\\nx"/g)).toHaveLength(1);
  const statuses = retries().map(({ error_status }) => error_status);
  expect(new Set(statuses)).toEqual(new Set([529, 429]));
  // After the reset it asked once.
  expect(server.received.filter(({ messages }) => messages.length === 5)).toHaveLength(2);
  // A sign of life at least every half a minute.
  expect(Math.max(...clock.sleeps)).toBeLessThanOrEqual(30_000);
  expect(retries().length).toBe(clock.sleeps.length);
});

it('F59 back-off that is longer than the limits for silence is no stall: the same model is asked on', async () => {
  const { server, clock, run, retries } = await started({ fallbackModel: 'sonnet' });
  const busy: ServerAnswer = { kind: 'refusal', reason: 'rate_limited', headers: { 'retry-after': '280' } };
  server.answerWith(busy, busy, busy, busy, says('Done.'));
  expect(await run()).toMatchObject({ subtype: 'success', result: 'Done.' });
  // Ninety seconds of silence inside an answer would be a stall, and three stalls ask another model.
  expect(clock.sleeps).toEqual(Array(4).fill(280_000));
  expect(retries().map(({ error_status }) => error_status)).toEqual(Array(4).fill(429));
  expect(server.received.map(({ model }) => model)).toEqual(Array(5).fill('claude-opus-5-5'));
});

it('F57 without the option a quota is not waited for: the run ends at once, and names the limit', async () => {
  const { server, clock, run, messages } = await started();
  server.answerWith({ kind: 'refusal', reason: 'rate_limited', headers: { 'retry-after': '7200' } });
  await run().catch(() => {});
  expect(messages.at(-1)).toMatchObject({
    type: 'result',
    is_error: true,
    api_error_status: 429,
    result: expect.stringContaining('rate limit'),
  });
  expect(clock.sleeps).toEqual([]);
  expect(server.received).toHaveLength(1);
});
