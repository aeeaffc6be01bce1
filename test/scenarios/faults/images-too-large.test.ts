import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { image, PNG, wideImage } from '../images.ts';
import { outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';
import { wholeText } from '../sent.ts';

describe('F10 images the API would refuse', () => {
  it('F10 an image that is too wide stays out of history, and the prompt says so', async () => {
    const run = await rehearse({
      prompt: [{ type: 'text', text: 'What is this?' }, wideImage(9_000)],
      replies: [reply('I cannot see it.')],
    });
    expect(successOf(run)).toMatchObject({ is_error: false, terminal_reason: 'completed' });
    expect(wholeText(run.sent[0])).toContain('[image left out: 9000 × 1 pixels');
    expect(JSON.stringify(run.entries)).not.toContain('"type":"image"');
  });

  it('F10 so does one that a tool hands over, and the call keeps its result', async () => {
    const large = Buffer.alloc(4 * 1024 * 1024);
    PNG.copy(large);
    const run = await rehearse({
      files: { 'large.png': large },
      replies: [reply(toolUse('Read', { file_path: 'large.png' }, 'call_1')), reply('Too large.')],
    });
    expect(outline(run.messages)).toEqual(['init', 'tool_use', 'tool_result', 'text', 'result:success']);
    expect(JSON.stringify(run.entries)).not.toContain('"type":"image"');
  });

  it('F10 2162 pixels after 20 earlier images', async () => {
    const run = await rehearse({
      prompt: [
        ...Array.from({ length: 20 }, () => image()),
        wideImage(2_162),
        { type: 'text', text: 'See.' },
      ],
      replies: [reply('I see 20.')],
    });
    expect(successOf(run).is_error).toBe(false);
    expect(wholeText(run.sent[0])).toContain('with more than 20 images');
    expect(wholeText(run.sent[0]).match(/"type":"image"/g)).toHaveLength(20);
  });
});
