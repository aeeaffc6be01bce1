/** A provider from outside: a wire that the program brings passes what the package's own wires pass. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listModels, type Options, probeModel, query } from '@turnwright/engine';
import { recordingStore, type WireTraits, wireChecks } from '@turnwright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { everyNth } from '../../long-form.ts';
import { collapsingClock } from '../../scenarios/collapsing-clock.ts';
import { gather } from '../../sdk/query-under-test.ts';
import { startHouseServer } from './house-server.ts';
import { houseWire } from './house-wire.ts';

const TRAITS: WireTraits = {
  caching: 'none',
  thinking: 'signed',
  usage: 'details',
  usageComes: 'early',
  credential: 'renewable',
  overload: 'status',
  tooLong: 'counted',
  http: 'pooled',
  body: 'exact',
};

describe('the checks of a wire', () => {
  const open = async () => {
    const server = await startHouseServer();
    const credential = { authToken: 'house-key' };
    const models = { model: 'large', otherModel: 'small' };
    return { server, wire: houseWire(server.url), credential, ...models, dispose: () => server.close() };
  };
  for (const { name, run } of everyNth(3, wireChecks(open, TRAITS))) it(name, run);
});

const says = (text: string) => ({ kind: 'message', parts: [{ kind: 'text', text }] }) as const;
const refuses = (reason: 'overloaded' | 'server_error') => ({ kind: 'refusal', reason }) as const;

async function house(options: Options = {}) {
  const server = await startHouseServer();
  onTestFinished(() => server.close());
  const running = () =>
    query({
      prompt: 'Hello.',
      options: {
        cwd: '/work',
        tools: [],
        env: { HOUSE_KEY: 'sk-house', ANTHROPIC_API_KEY: 'sk-main' },
        provider: 'house',
        providers: { house: { type: 'wire', wire: houseWire(server.url), apiKeyEnv: 'HOUSE_KEY' } },
        model: 'large',
        engine: { store: recordingStore(), clock: collapsingClock() },
        ...options,
      },
    });
  return { server, running };
}

describe('a session whose provider is a wire of the program', () => {
  it('asks it with the key of its variable, and the ledger has its tokens', async () => {
    const { server, running } = await house();
    server.answerWith({ ...says('Good morning.'), usage: { input: 100, output: 7, cacheRead: 60 } });
    const { results } = await gather(running());
    expect(results).toMatchObject([{ subtype: 'success', result: 'Good morning.' }]);
    expect(results[0]?.modelUsage).toMatchObject({
      large: { inputTokens: 40, outputTokens: 7, cacheReadInputTokens: 60, provider: 'house' },
    });
    expect(server.received).toMatchObject([{ model: 'large', credential: 'sk-house' }]);
    expect(server.received[0]?.body).not.toContain('sk-main');
  });

  it('retries what the wire says is worth it', async () => {
    const { server, running } = await house();
    server.answerWith(refuses('server_error'), says('Now.'));
    const { results, messages } = await gather(running());
    expect(results).toMatchObject([{ result: 'Now.' }]);
    expect(messages).toContainEqual(
      expect.objectContaining({ type: 'system', subtype: 'api_retry', error_status: 500 }),
    );
  });

  it('falls back to another model of it', async () => {
    const { server, running } = await house({ fallbackModel: 'small' });
    server.answerWith(refuses('overloaded'), refuses('overloaded'), refuses('overloaded'), says('Small.'));
    const { results } = await gather(running());
    expect(results).toMatchObject([{ result: 'Small.' }]);
    expect(server.received.map(({ model }) => model)).toEqual(['large', 'large', 'large', 'small']);
    expect(Object.keys(results[0]?.modelUsage ?? {})).toContain('small');
  });

  it('is asked beside another provider, by the name of its models', async () => {
    const { server, running } = await house({ provider: undefined, model: 'house:large' });
    server.answerWith(says('Named.'));
    const { results } = await gather(running());
    expect(results).toMatchObject([{ result: 'Named.' }]);
    expect(Object.keys(results[0]?.modelUsage ?? {})).toEqual(['house:large']);
  });

  it('is left at once when the turn is interrupted', async () => {
    const { server, running } = await house({ includePartialMessages: true });
    server.answerWith({ ...says('A long sentence.'), breaks: { at: 'text', how: 'stall' } });
    const session = running();
    const results: unknown[] = [];
    const read = async () => {
      for await (const message of session) {
        if (message.type === 'stream_event' && message.event.type === 'content_block_delta')
          await session.interrupt();
        if (message.type === 'result') results.push(message);
      }
    };
    await expect(read()).rejects.toThrow('Interrupted while the model was answering');
    expect(results).toMatchObject([{ type: 'result', subtype: 'error_during_execution' }]);
    await expect.poll(() => server.openAnswers).toBe(0);
  });

  it('is not probed: its key goes to no address that it does not have', async () => {
    const asked: string[] = [];
    const proxy = createServer().on('connect', ({ url = '' }, socket) => {
      asked.push(url);
      socket.destroy();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const place = {
      cwd: '/work',
      env: { HOUSE_KEY: 'sk-house', HTTPS_PROXY },
      settingSources: [],
      settings: {
        provider: 'house',
        providers: { house: { type: 'wire', apiKeyEnv: 'HOUSE_KEY' } },
      } as const,
      signal: AbortSignal.timeout(10_000),
    };
    expect(await probeModel(place)).toEqual({
      kind: 'unreachable',
      message: 'The provider house has no address that could be asked.',
    });
    expect(await listModels(place)).toMatchObject({ unlisted: 'The provider house lists no models.' });
    expect(asked).toEqual([]);
  });

  it('says what is missing when the settings name one without a wire', async () => {
    const { running } = await house({ providers: { house: { type: 'wire' } } });
    const { results, error } = await gather(running());
    expect(`${String(error ?? '')} ${JSON.stringify(results)}`).toContain('Only a program can give one');
  });
});
