import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { estimateMessage, estimateText, estimateTokens } from '../../src/context/token-estimate.ts';
import { answer, call, prompt, queued, result } from './conversation.ts';

describe('estimateText', () => {
  it('counts each class of content by its own density', () => {
    const prose = 'The quick brown fox jumps over the lazy dog, and nobody minds. '.repeat(50);
    expect(prose.length / estimateText(prose)).toBeCloseTo(4, 1);
    const code = readFileSync(new URL('./token-estimate.test.ts', import.meta.url), 'utf8');
    expect(code.length / estimateText(code)).toBeCloseTo(3, 1);
    expect(estimateText(JSON.stringify({ a: [1, 2, 3], b: { c: 'd' } }))).toBeGreaterThan(8);
    expect(estimateText('汉字与假名ひらがな')).toBe(9);
    expect(estimateText('Привет, мир'.repeat(10))).toBeGreaterThan(45);
    const base64 = Buffer.from('x'.repeat(3_000)).toString('base64');
    expect(base64.length / estimateText(base64)).toBeCloseTo(1.5, 1);
    expect(estimateText('')).toBe(0);
  });

  it('is linear in the length of the text', () => {
    const started = estimateText('word '.repeat(200_000));
    expect(started).toBe(250_000);
  });
});

describe('estimateMessage', () => {
  it('counts images and pages flat, whatever their bytes', () => {
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
      expect(estimateMessage(message), message.uuid).toBeGreaterThanOrEqual(500);
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
