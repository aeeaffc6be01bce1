import { type ApiServer, apiServer, hello, refuses } from '@turnwright/test/model/api-server.ts';
import { clientFor, failureOf, requestOf, run, user, viewOf } from '@turnwright/test/model/conversation.ts';
import { skippingClock } from '@turnwright/test/model/skipping-clock.ts';
import { afterEach, describe, expect, it } from 'vitest';

let server: ApiServer;
afterEach(() => server?.close());

const refused = refuses(400, 'invalid_request_error', 'messages.0.content.0.text: no such text');

describe('a request that was refused', () => {
  it('F14: the same refusal of the same request twice: no third sending, and the error names the message', async () => {
    server = await apiServer(refused);
    const client = clientFor(server.url, { clock: skippingClock() });
    const request = requestOf(viewOf(user('odd')));
    for (let n = 1; n <= 2; n++) {
      expect(failureOf((await run(client, request)).outcome).message).toContain('messages.0.content.0');
    }
    const { outcome, events } = await run(client, request);
    expect(server.received).toHaveLength(2);
    expect(events).toEqual([]);
    expect(failureOf(outcome)).toMatchObject({
      kind: 'invalid_request',
      status: 400,
      message: expect.stringMatching(/message 0 of the request.*not sent again/),
    });
  });

  it('F14: not even when the endpoint asks for it', async () => {
    server = await apiServer(refuses(400, 'invalid_request_error', 'Odd.', { 'x-should-retry': 'true' }));
    await run(clientFor(server.url, { clock: skippingClock() }), requestOf(viewOf(user('odd'))));
    expect(server.received).toHaveLength(2);
  });

  it('another request is sent, and so is the same one after another refusal', async () => {
    server = await apiServer(
      refused,
      refuses(400, 'invalid_request_error', 'Something else.'),
      refused,
      hello,
    );
    const client = clientFor(server.url, { clock: skippingClock() });
    const view = viewOf(user('odd'));
    for (let n = 1; n <= 3; n++) await run(client, requestOf(view));
    const { outcome } = await run(client, requestOf(view.append([user('more')])));
    expect(outcome.kind).toBe('complete');
    expect(server.received).toHaveLength(4);
  });
});
