import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { PNG } from '../images.ts';
import { decided } from '../outline.ts';
import { rehearse, resultOf, successOf } from '../rehearse.ts';
import { wholeText } from '../sent.ts';

const large = (bytes: number) => {
  const image = Buffer.alloc(bytes);
  PNG.copy(image);
  return image;
};
const read = (name: string) => reply(toolUse('Read', { file_path: name }));

describe('F12 a body of too many bytes', () => {
  it('F12 the oldest images go before the request is made, while tokens are fine', async () => {
    const run = await rehearse({
      files: { 'a.png': large(60_000), 'b.png': large(60_000), 'c.png': large(60_000) },
      replies: [read('a.png'), read('b.png'), read('c.png'), reply('Three.')],
      options: { engine: { mediaLimits: { maxRequestBytes: 250_000 } } },
    });
    expect(successOf(run).is_error).toBe(false);
    const last = wholeText(run.sent.at(-1));
    expect(last).toContain('[image removed to make room for later ones: ');
    expect(last).toContain('a.png');
    expect(last.match(/"type":"image"/g)).toHaveLength(2);
  });

  it('F12 a 413 is handled like an overflow: media first, and no summary is asked for', async () => {
    const refused = reply('never', {
      faults: [
        {
          name: 'http-status',
          status: 413,
          type: 'request_too_large',
          message: 'Request exceeds the maximum size',
        },
      ],
    });
    const run = await rehearse({
      files: { 'a.png': PNG, 'b.png': PNG },
      replies: [read('a.png'), read('b.png'), refused, reply('Two.')],
    });
    expect(resultOf(run).is_error).toBe(false);
    expect(decided(run.decisions)).toEqual([
      'next_turn',
      'next_turn',
      'reactive_compact_retry',
      'stop completed',
    ]);
    expect(wholeText(run.sent.at(-1)).match(/"type":"image"/g)).toHaveLength(1);
  });
});
