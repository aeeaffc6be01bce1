/** A strict budget, seen from the client: each attempt is reserved before it is sent, and settled once. */

import {
  type Answer,
  type ApiServer,
  apiServer,
  EVENT_STREAM,
  hello,
  overloaded,
  sse,
  start,
  text,
} from '@turnwright/test/model/api-server.ts';
import { clientFor, requestOf, run } from '@turnwright/test/model/conversation.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { FRESH_RETRY_STATE } from '../../src/protocol/model/model.ts';
import type { AttemptCost, SpendGuard, SpendNeed } from '../../src/protocol/model/spend-guard.ts';

let server: ApiServer;
afterEach(() => server?.close());

const resets: Answer = (response) => void response.socket?.resetAndDestroy();
const breaks: Answer = (response) => {
  response.writeHead(200, EVENT_STREAM);
  response.write(sse(start(), ...text(0, 'Hel')), () => response.socket?.resetAndDestroy());
};

function recordingGuard(
  verdict: (need: SpendNeed) => number | 'refused' | 'aborted' = (need) => need.maxTokens,
) {
  const needs: SpendNeed[] = [];
  const settled: AttemptCost[] = [];
  const guard: SpendGuard = {
    async reserve(need) {
      needs.push(need);
      const answer = verdict(need);
      if (answer === 'aborted') return { kind: 'aborted' };
      if (answer === 'refused') return { kind: 'refused', failure: { kind: 'budget', message: 'No money.' } };
      return { kind: 'reserved', maxTokens: answer, settle: (end) => void settled.push(end) };
    },
  };
  return { guard, needs, settled };
}

describe('an attempt under a strict budget (L9)', () => {
  it('is reserved and settled each time; what was refused is free, what broke is not', async () => {
    server = await apiServer(overloaded(), resets, hello);
    const { guard, needs, settled } = recordingGuard();
    const { outcome } = await run(clientFor(server.url, { spendGuard: guard }));
    expect(outcome.kind).toBe('complete');
    expect(needs).toHaveLength(3);
    expect(needs[0]).toMatchObject({ maxTokens: requestOf().maxTokens, info: { id: requestOf().model } });
    expect(settled).toEqual([
      { kind: 'free' },
      { kind: 'partial', usage: undefined },
      { kind: 'complete', usage: expect.objectContaining({ output_tokens: expect.any(Number) }) },
    ]);
  });

  it('that broke after its beginning tells what was reported by then', async () => {
    server = await apiServer(breaks);
    const { guard, settled } = recordingGuard();
    const { outcome } = await run(clientFor(server.url, { spendGuard: guard }));
    expect(outcome.kind).toBe('broken');
    expect(settled).toEqual([
      { kind: 'partial', usage: expect.objectContaining({ input_tokens: expect.any(Number) }) },
    ]);
  });

  it('is free where nothing could be reached', async () => {
    server = await apiServer(hello);
    const { url } = server;
    await server.close();
    const { guard, settled } = recordingGuard();
    await run(clientFor(url, { spendGuard: guard, maxRetries: 1 }));
    expect(settled).toEqual([{ kind: 'free' }, { kind: 'free' }]);
  });

  it('is sent with the output cap that was reserved, and never fast', async () => {
    server = await apiServer(hello);
    const { guard } = recordingGuard(() => 4_321);
    const request = requestOf(undefined, { model: 'claude-opus-5-5', speed: 'fast' });
    const { outputs } = await run(clientFor(server.url, { spendGuard: guard }), request);
    const body = server.received[0]?.json;
    expect(body).toMatchObject({ max_tokens: 4_321 });
    expect(body).not.toHaveProperty('speed');
    expect(outputs[0]).toMatchObject({ kind: 'attempt', maxTokens: 4_321 });
  });

  it('is not sent when it is refused, or aborted while it waited', async () => {
    server = await apiServer(hello);
    const refused = await run(clientFor(server.url, { spendGuard: recordingGuard(() => 'refused').guard }));
    expect(refused.outcome).toMatchObject({
      kind: 'failed',
      failure: { kind: 'budget', message: 'No money.' },
    });
    const aborted = await run(clientFor(server.url, { spendGuard: recordingGuard(() => 'aborted').guard }));
    expect(aborted.outcome.kind).toBe('aborted');
    expect(server.received).toEqual([]);
  });

  it('is settled when its consumer leaves: before it is sent, and in the middle', async () => {
    server = await apiServer(hello);
    const { guard, settled } = recordingGuard();
    const client = clientFor(server.url, { spendGuard: guard });
    const options = { signal: new AbortController().signal, retry: FRESH_RETRY_STATE };
    const early = client.call(requestOf(), options);
    expect((await early.next()).value).toMatchObject({ kind: 'attempt' });
    await early.return(undefined as never);
    expect(settled).toEqual([{ kind: 'free' }]);
    const late = client.call(requestOf(), options);
    await late.next();
    await late.next();
    await late.return(undefined as never);
    expect(settled[1]).toEqual({ kind: 'partial', usage: undefined });
  });
});
