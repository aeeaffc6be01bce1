import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse, submissions } from '../rehearse.ts';
import type { SentBody } from '../sent.ts';

const LONG = 'A line of a long project file.\n'.repeat(600);
const read = () => reply(toolUse('Read', { file_path: 'long.txt' }));

/** System, tools and messages as bytes, without marks. */
const prefixOf = ({ system, tools, messages }: SentBody) =>
  JSON.stringify([tools, system, messages], (key, value) =>
    key === 'cache_control' ? undefined : value,
  ).slice(0, -2);

describe('F112 and F113 the bytes of a request recur', () => {
  it('F112 two identical runs: identical bytes', async () => {
    const one = () =>
      rehearse({
        replies: [reply('Hello.')],
        options: { systemPrompt: 'Be brief.', cwd: undefined } as never,
      });
    const [a, b] = [await one(), await one()];
    const own = (run: typeof a) => prefixOf(run.sent[0] as SentBody).replaceAll(run.cwd, '<cwd>');
    expect(own(a)).toBe(own(b));
  });

  it('F113 a reminder behind a result, a second prompt: earlier bytes stay, and the cache is read', async () => {
    const run = await rehearse({
      ...submissions('Read it.', 'Once more.'),
      files: { 'long.txt': LONG },
      replies: [read(), reply('Read.'), read(), reply('Again.')],
    });
    const prefixes = run.sent.map(prefixOf);
    prefixes.slice(1).forEach((prefix, at) => {
      expect(prefix.startsWith((prefixes[at] as string).slice(0, -2))).toBe(true);
    });
    const caches = run.decisions.map(({ cache }) => cache);
    expect(caches.slice(1).every((cache) => (cache?.readTokens ?? 0) > 0)).toBe(true);
    expect(caches.flatMap((cache) => cache?.break ?? [])).toEqual([]);
  });

  it('F113 an edit of the view: the record names the message and the step, and a verbose run says so', async () => {
    const run = await rehearse({
      files: { 'long.txt': LONG },
      replies: [
        read(),
        read(),
        read(),
        reply('<summary>Long.</summary>', { when: { kind: 'compaction' } }),
        reply('Done.'),
      ],
      options: { engine: { verbose: true, compaction: { threshold: 16_000, collapse: false } } },
    });
    const found = run.decisions.flatMap(({ cache }) => cache?.break ?? []);
    expect(found).toEqual([
      expect.objectContaining({ kind: 'message_inserted', why: expect.stringContaining('autocompact') }),
    ]);
    expect(found[0]?.tokens).toBeGreaterThan(1_000);
    expect(run.messages).toContainEqual(
      expect.objectContaining({
        subtype: 'informational',
        content: expect.stringMatching(/^The prompt cache was missed for \d+ tokens: .*autocompact/),
      }),
    );
  });
});
