/** F60: what a gateway does not know of the Messages API is left out, for this endpoint and from then on. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientFor, failureOf, requestOf, run } from './conversation.ts';
import { startMessagesServer } from './wires/messages-server.ts';
import type { WireServer } from './wires/wire-server.ts';

let server: WireServer;
beforeEach(async () => {
  server = await startMessagesServer();
});
afterEach(() => server.close());

const HELLO = { kind: 'message', parts: [{ kind: 'text', text: 'Hello.' }] } as const;
const refuses = (message: string) => ({ kind: 'refusal', reason: 'invalid', message }) as const;
const SENT = { betas: ['made-up-2026-01-01', 'kept-2026-02-02'], agentId: 'a1', effort: 'low' } as const;

describe('F60 a gateway refuses', () => {
  it.each([
    [
      'a beta',
      'Unexpected value(s) `made-up-2026-01-01` for the `anthropic-beta` header.',
      ({ headers }: Seen) => String(headers['anthropic-beta']).includes('made-up'),
    ],
    [
      'all betas',
      'The anthropic-beta header is not supported',
      ({ headers }: Seen) => 'anthropic-beta' in headers,
    ],
    ['a field', 'metadata: Extra inputs are not permitted', ({ json }: Seen) => 'metadata' in json],
    ['effort', 'output_config: Extra inputs are not permitted', ({ json }: Seen) => 'output_config' in json],
    [
      'marks of the cache',
      'system.0.cache_control: Extra inputs are not permitted',
      ({ text }: Seen) => text.includes('cache_control'),
    ],
    [
      'a header',
      'Unknown header: X-Turnwright-Agent-Id',
      ({ headers }: Seen) => 'x-turnwright-agent-id' in headers,
    ],
  ])('%s: the request is made again without it, and so is every later one', async (_what, message, has) => {
    const said: string[] = [];
    const client = clientFor(server.url, { onAdapted: (what) => said.push(what) });
    const request = requestOf(undefined, { model: 'claude-opus-5', system: ['Be brief.'], ...SENT });
    server.answerWith(refuses(message), HELLO, HELLO);
    const { outcome, notices } = await run(client, request);
    expect(outcome).toMatchObject({ kind: 'complete', retry: { retries: 0 } });
    expect(notices).toEqual([]);
    // Another client of the same endpoint knows it too.
    await run(clientFor(server.url), request);
    expect(seen().map(has).map(Boolean)).toEqual([true, false, false]);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(message);
  });

  it('one beta: the others are still sent', async () => {
    server.answerWith(
      refuses('Unexpected value(s) `made-up-2026-01-01` for the `anthropic-beta` header.'),
      HELLO,
    );
    await run(clientFor(server.url), requestOf(undefined, SENT));
    expect(String(seen()[1]?.headers['anthropic-beta'])).toContain('kept-2026-02-02');
  });

  it('what cannot be left out is a failure, and so is a second refusal of the same', async () => {
    server.answerWith(refuses('messages.0: Extra inputs are not permitted'));
    expect(failureOf((await run(clientFor(server.url))).outcome).kind).toBe('invalid_request');
    const again = refuses('metadata: Extra inputs are not permitted');
    server.answerWith(again, again);
    expect(failureOf((await run(clientFor(server.url))).outcome).kind).toBe('invalid_request');
    expect(server.received).toHaveLength(3);
  });
});

interface Seen {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const seen = (): readonly Seen[] =>
  server.requests.flatMap(({ method, headers, json, body }) =>
    method === 'POST' ? [{ headers, json, text: body.toString('utf8') }] : [],
  );
