import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { image, wideImage } from '../images.ts';
import { decided, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('image_error', () => {
  it('media is refused, taken out, and the request refused again', async () => {
    const refused = () =>
      reply('never', {
        faults: [
          {
            name: 'http-status',
            status: 400,
            type: 'invalid_request_error',
            message: 'messages.0.content.1.image: image exceeds 5 MB maximum',
          },
        ],
      });
    const run = await rehearse({
      prompt: [{ type: 'text', text: 'What is this?' }, image()],
      replies: [refused(), refused()],
    });
    expect(outline(run.messages)).toEqual(['init', 'error:invalid_request', 'result:success']);
    expect(successOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'image_error',
      stop_reason: 'stop_sequence',
      api_error_status: 400,
      num_turns: 1,
      result: expect.stringContaining('image exceeds'),
    });
    expect(decided(run.decisions)).toEqual(['reactive_compact_retry', 'stop image_error']);
    expect(run.sent.map((body) => JSON.stringify(body).includes('"image"'))).toEqual([true, false]);
  });

  it('the real limit: an image that is too wide is taken out once, and the answer is never an error', async () => {
    const run = await rehearse({
      prompt: [{ type: 'text', text: 'What is this?' }, wideImage(9_000)],
      replies: [reply('I cannot see it.')],
      rejectedBy: ['image-size'],
    });
    expect(outline(run.messages)).toEqual(['init', 'text', 'result:success']);
    expect(successOf(run)).toMatchObject({ is_error: false, terminal_reason: 'completed' });
  });
});
