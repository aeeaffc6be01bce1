/** A wait that the model's server asks for, and that is too long, ends the run (L8). */

import { lives, parkedIn, resultIn } from '@turnwright/test/engine/parking/lives.ts';
import { type RehearsalServer, reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let server: RehearsalServer;
beforeEach(async () => {
  server = await startRehearsal();
});
afterEach(() => server.close());

const HOURS = 3 * 3_600;

/** A session over HTTP: a run in which no time passes, unless a wait is waited for. */
function overHttp() {
  const session = lives();
  const env = () => ({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k' });
  return {
    ...session,
    async run(prompt?: string, options = {}) {
      const { ended } = session.start({
        ...(prompt !== undefined && { prompt }),
        options: { env: env(), engine: { callModel: undefined }, ...options },
      });
      return { messages: await ended };
    },
  };
}

const limited = (retryAfter: number) => ({
  ...reply('Too late.'),
  faults: [{ name: 'http-status' as const, status: 429, retryAfter: String(retryAfter) }],
});

describe('a rate limit of hours', () => {
  it('parks the run until it is over; the next run makes the request again', async () => {
    const session = overHttp();
    server.setScenario({ name: 'test', replies: [limited(HOURS), reply('Done.')] });
    const first = await session.run('Go.');
    const wakeAt = session.clock.nowMs() + HOURS * 1_000;
    expect(parkedIn(first)).toMatchObject({ on: 'time', ask_ids: [], wake_at: wakeAt });
    expect(
      first.messages.find((message) => message.type === 'system' && message.subtype === 'api_retry'),
    ).toMatchObject({
      error_status: 429,
      retry_delay_ms: HOURS * 1_000,
    });
    expect(server.requests).toHaveLength(1);

    // Resumed too early in the same process: the limit of the key is known, so nothing is sent.
    expect(parkedIn(await session.run())).toMatchObject({ on: 'time', wake_at: wakeAt });
    expect(server.requests).toHaveLength(1);

    await session.clock.advance(HOURS * 1_000);
    const last = await session.run();
    expect(resultIn(last)).toMatchObject({ subtype: 'success', result: 'Done.', num_turns: 1 });
    expect(server.requests).toHaveLength(2);
  });

  it('ends the run with an error where nothing is parked', async () => {
    const session = overHttp();
    server.setScenario({ name: 'test', replies: [limited(HOURS)] });
    expect(resultIn(await session.run('Go.', { parkAfterMs: undefined }))).toMatchObject({ is_error: true });
  });
});
