/** What ends at one provider goes on at another (L4.4): quota, money, a model that is gone. Real servers of two APIs. */

import { startMessagesServer } from '@turnwright/test/model/wires/messages-server.ts';
import { startChatServer } from '@turnwright/test/model/wires/openai-chat-server.ts';
import type { WireServer } from '@turnwright/test/model/wires/wire-server.ts';
import { collapsingClock } from '@turnwright/test/scenarios/collapsing-clock.ts';
import { decisionsOf } from '@turnwright/test/scenarios/journal.ts';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { recordingStore } from '@turnwright/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, type Options, query, tool } from '../../src/index.ts';

let main: WireServer;
let other: WireServer;
beforeEach(async () => {
  [main, other] = await Promise.all([startMessagesServer(), startChatServer()]);
});
afterEach(() => Promise.all([main.close(), other.close()]));

const says = (text: string) => ({ kind: 'message', parts: [{ kind: 'text', text }] }) as const;
const QUOTA = { kind: 'refusal', reason: 'rate_limited', headers: { 'retry-after': '7200' } } as const;
const BILLING = { kind: 'refusal', reason: 'billing' } as const;
const GONE = { kind: 'refusal', reason: 'not_found' } as const;
const LIMITED = { kind: 'refusal', reason: 'rate_limited' } as const;
const HAIKU = 'claude-haiku-5-5';
const OTHER = 'other:gpt-5.2';

async function ask({ engine, ...more }: Options & { readonly prompt?: string }) {
  const store = recordingStore();
  const clock = collapsingClock();
  const options: Options = {
    cwd: '/work',
    tools: [],
    env: { ANTHROPIC_API_KEY: 'sk-main', ANTHROPIC_BASE_URL: main.url, OTHER_KEY: 'sk-other' },
    providers: { other: { type: 'openai-compatible', baseUrl: `${other.url}/v1`, apiKeyEnv: 'OTHER_KEY' } },
    model: 'haiku',
    fallbackModel: OTHER,
    engine: { store, clock, ...engine },
    ...more,
  };
  const { results, messages } = await gather(query({ prompt: 'Hello.', options }));
  const [result] = results;
  const decisions = decisionsOf(store.entries(result?.session_id ?? ''));
  const hops = messages.filter(
    (message) => message.type === 'system' && message.subtype === 'model_fallback',
  );
  return { result, hops, decisions, waits: clock.waits };
}

describe.each([
  ['quota', QUOTA, 'has reached its limit'],
  ['billing', BILLING, 'is not paid for'],
  ['model_not_found', GONE, 'is not available'],
] as const)('%s', (trigger, answer, says_) => {
  it.each([false, true])(
    'another provider answers, without a wait (unattended: %s)',
    async (persistentRetry) => {
      main.answerWith(answer);
      other.answerWith(says('Other.'));
      const { result, hops, decisions, waits } = await ask({ engine: { persistentRetry } });
      expect(result).toMatchObject({ subtype: 'success', is_error: false, result: 'Other.' });
      expect([main.received.length, other.received.length]).toEqual([1, 1]);
      expect(waits).toEqual([]);
      expect(hops).toMatchObject([
        {
          trigger,
          original_model: HAIKU,
          fallback_model: OTHER,
          content: `${HAIKU} ${says_}; ${OTHER} takes over for the rest of this submission.`,
        },
      ]);
      expect(decisions[0]?.fallback).toEqual({ from: HAIKU, to: OTHER, trigger });
      expect(Object.keys(result?.modelUsage ?? {})).toEqual([OTHER]);
    },
  );
});

it('a model of the same provider is not asked for a quota, but skipped with a reason', async () => {
  main.answerWith(QUOTA);
  other.answerWith(says('Other.'));
  const { result, hops } = await ask({ fallbackModel: `sonnet,${OTHER}` });
  expect(result).toMatchObject({ result: 'Other.' });
  expect(main.received).toHaveLength(1);
  expect(hops).toMatchObject([
    { content: expect.stringMatching(/sonnet\S* was skipped: the same provider serves it\.$/) },
  ]);
});

it('where no other provider is named, a quota and a bill end the run as before', async () => {
  main.answerWith(BILLING);
  const { result, hops } = await ask({ fallbackModel: 'sonnet' });
  expect(result).toMatchObject({ is_error: true, terminal_reason: 'api_error' });
  expect([main.received.length, hops.length]).toEqual([1, 0]);
});

it('F171 a rate limit that outlasts all retries counts as a quota', async () => {
  main.answerWith(LIMITED, LIMITED, LIMITED);
  other.answerWith(says('Other.'));
  const { result, hops } = await ask({ engine: { maxRetries: 2 } });
  expect(result).toMatchObject({ result: 'Other.' });
  expect(main.received).toHaveLength(3);
  expect(hops).toMatchObject([{ trigger: 'quota' }]);
});

it('F171 a quota in the middle of a turn: each call runs once, its result is sent, both exchanges are recorded', async () => {
  const calls: unknown[] = [];
  const change = tool('change', 'Changes it.', { what: z.string() }, async (input) => {
    calls.push(input);
    return { content: [{ type: 'text', text: 'changed' }] };
  });
  const call = { kind: 'call', id: 'call_1', name: 'mcp__here__change', input: { what: 'it' } } as const;
  main.answerWith({ kind: 'message', parts: [call] }, GONE, QUOTA);
  other.answerWith(says('Other.'));
  const { result, hops, decisions } = await ask({
    fallbackModel: `sonnet,${OTHER}`,
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    mcpServers: { here: createSdkMcpServer({ name: 'here', tools: [change] }) },
  });
  expect(result).toMatchObject({ result: 'Other.' });
  expect(calls).toHaveLength(1);
  expect(other.received).toHaveLength(1);
  expect(other.received[0]?.body).toContain('changed');
  expect(hops).toMatchObject([{ trigger: 'model_not_found' }, { trigger: 'quota' }]);
  const [, second] = decisions;
  expect(second?.fallback).toMatchObject({
    to: OTHER,
    trigger: 'quota',
    before: [{ from: HAIKU, trigger: 'model_not_found' }],
  });
});
