/** A question to the host that is open for too long ends the run; the answer is given to the next one (L4.1). */
import { describe, expect, it } from 'vitest';
import { query } from '../../../src/index.ts';
import { callTool, fakeTool, say } from '../../../src/testing/index.ts';
import { engineUnderTest } from '../engine-under-test.ts';
import { allowing, lives, parkedIn, resultIn, silentHost } from './lives.ts';

it('parkAfterMs is a number above 0, and needs a session that is kept', () => {
  expect(() => query({ prompt: 'Go.', options: { parkAfterMs: 0 } })).toThrow(/parkAfterMs.*number above 0/);
  expect(() => engineUnderTest([], { parkAfterMs: 1, store: undefined })).toThrow(
    'parkAfterMs needs a session that is kept',
  );
});

describe('an approval', () => {
  it('that does not come within parkAfterMs ends the run without a result; the next run asks it again', async () => {
    const session = lives();
    const [look, touch] = [fakeTool({ name: 'Look' }), fakeTool({ name: 'Touch' })];
    const host = silentHost();
    const first = await session.run({
      prompt: 'Go.',
      script: [callTool('Touch', { file: 'a' })],
      tools: [look, touch],
      options: { canUseTool: host.canUseTool },
    });
    const parked = parkedIn(first);
    expect(parked).toMatchObject({ on: 'ask', session_id: session.sessionId });
    expect(parked).not.toHaveProperty('wake_at');
    expect(first.messages.some(({ type }) => type === 'result')).toBe(false);
    expect(host.asked.map(({ context }) => context.askId)).toEqual(parked.ask_ids);
    expect(host.asked[0]?.context.signal.reason).toBe('parked');
    expect(session.clock.monotonicMs()).toBe(30_000);
    expect(touch.calls).toHaveLength(0);
    const types = session.store.entries(session.sessionId).map(({ type }) => type);
    expect(types).toContain('parked');
    expect(types).not.toContain('intent');
    expect(types).not.toContain('result');

    const askedAgain: string[] = [];
    const second = await session.run({
      script: [say('Done.')],
      tools: [look, touch],
      options: {
        canUseTool: (...question) => {
          askedAgain.push(question[2].askId);
          return allowing(...question);
        },
      },
    });
    expect(askedAgain).toEqual(parked.ask_ids);
    expect(resultIn(second)).toMatchObject({ subtype: 'success', result: 'Done.', num_turns: 2 });
    expect(touch.calls.map(({ input }) => input)).toEqual([{ file: 'a' }]);
    const asks = session.store.entries(session.sessionId).filter(({ type }) => type === 'ask');
    expect(asks, 'recorded once').toHaveLength(1);
  });
});
