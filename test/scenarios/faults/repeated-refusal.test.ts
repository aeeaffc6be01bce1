import { describe, expect, it } from 'vitest';
import { rehearse, resultOf } from '../rehearse.ts';
import { messageRequests } from '../sent.ts';

describe('F14 a refusal that recurs', () => {
  it('no request is sent a third time, and the error names the message', async () => {
    const run = await rehearse({
      prompt: 'An odd one.',
      replies: () => ({
        blocks: [],
        faults: [
          {
            name: 'http-status',
            status: 400,
            type: 'invalid_request_error',
            message: 'messages.0.content.0.text: this text is odd',
          },
        ],
      }),
    });
    expect(resultOf(run)).toMatchObject({
      is_error: true,
      result: expect.stringContaining('messages.0.content.0'),
    });
    const counts = new Map<string, number>();
    for (const { body } of messageRequests(run.server)) {
      const bytes = JSON.stringify(body);
      counts.set(bytes, (counts.get(bytes) ?? 0) + 1);
    }
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(2);
  });
});
