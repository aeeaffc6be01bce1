import { describe, expect, it } from 'vitest';
import { estimateMessage, estimateText, estimateTokens } from '../../src/context/estimate/token-estimate.ts';
import { answer, call, prompt, queued, result } from './conversation.ts';
import { png } from './images.ts';
import { TOKEN_SAMPLES } from './token-samples.ts';

describe('estimateText', () => {
  it.each(TOKEN_SAMPLES)('F117: is within its bound for $name', ({ text, tokens, bound }) => {
    const estimated = estimateText(text);
    expect(estimated).toBeGreaterThanOrEqual(Math.min(...tokens) * (1 - bound));
    expect(estimated).toBeLessThanOrEqual(Math.max(...tokens) * (1 + bound));
  });

  it('counts nothing for nothing, and reads a text once', () => {
    expect(estimateText('')).toBe(0);
    expect(estimateText('word '.repeat(50_000))).toBe(50_000);
    expect(estimateText('x'.repeat(2_000_000))).toBeGreaterThan(300_000);
    expect(estimateText('\ud800 \u{1F600} \u0000')).toBeGreaterThan(0);
  });
});

describe('estimateText of a very long text', () => {
  it.each(TOKEN_SAMPLES)('reads parts of it, and is as near for $name', ({ text }) => {
    const page = `${text}\n`;
    const times = Math.ceil(1_000_000 / page.length);
    const whole = (estimateText(page.repeat(100)) / 100) * times;
    expect(estimateText(page.repeat(times)) / whole).toBeGreaterThan(0.9);
    expect(estimateText(page.repeat(times)) / whole).toBeLessThan(1.1);
  });

  it('sees that a text changes on its way', () => {
    const half = 'word '.repeat(100_000);
    const digits = '12345 '.repeat(100_000);
    const sum = estimateText(half) + estimateText(digits);
    expect(Math.abs(estimateText(half + digits) / sum - 1)).toBeLessThan(0.05);
  });
});

describe('estimateMessage', () => {
  it('counts unreadable images and pages flat, whatever their bytes', () => {
    const small = prompt('a', [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }]);
    const large = prompt('b', [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(4e6) } },
    ]);
    expect(estimateMessage(large)).toBe(estimateMessage(small));
    const pdf = result('c', [
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'A'.repeat(80_000) },
      },
    ]);
    expect(estimateMessage(pdf)).toBeGreaterThan(2_000);
    expect(estimateMessage(pdf)).toBeLessThan(3_000);
  });

  it('counts an image by its size where its header says', () => {
    const sized = (width: number, height: number) =>
      estimateMessage(prompt(`${width}`, [png(width, height)])) - estimateMessage(prompt('none', []));
    expect(sized(750, 100)).toBe(100);
    expect(sized(3_000, 3_000)).toBe(1_600);
  });

  it('sees what is in calls, results, thinking and attachments', () => {
    const long = 'word '.repeat(400);
    for (const message of [
      call('r', 'a', 'Bash', { command: long }),
      result('a', long),
      result('b', [{ type: 'text', text: long }]),
      answer('r', 'c', { type: 'thinking', thinking: long, signature: 'x' }),
      queued('d', long),
      prompt('e', long),
      prompt('f', [{ type: 'document', source: { type: 'text', data: long } }]),
    ]) {
      expect(estimateMessage(message), message.uuid).toBeGreaterThanOrEqual(400);
    }
  });

  it('counts a message once: the same object again costs nothing', () => {
    let reads = 0;
    const message = prompt('a', 'x');
    const watched = {
      ...message,
      get message() {
        reads++;
        return message.message;
      },
    };
    estimateTokens([watched, watched, watched]);
    expect(reads).toBe(1);
  });
});
