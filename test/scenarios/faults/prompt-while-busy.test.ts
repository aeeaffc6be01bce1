import type { SDKUserMessage } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { MODEL, type Running, rehearse } from '../rehearse.ts';
import { blocksOf, type SentBody } from '../sent.ts';

const said = (text: string): AsyncIterable<SDKUserMessage> => ({
  async *[Symbol.asyncIterator]() {
    yield { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null };
  },
});

/** Once, when the first message matches. */
function once(
  matches: (message: { type: string; subtype?: string }) => boolean,
  text: string,
): (message: { type: string; subtype?: string }, run: Running) => unknown {
  let done = false;
  return (message, { query }) => {
    if (done || !matches(message)) return undefined;
    done = true;
    return query.streamInput(said(text));
  };
}

const holds = (body: SentBody | undefined, text: string) =>
  blocksOf(body, 'text').filter((block) => block.text?.includes(text)).length;

describe('F131 a message sent while the engine is busy: accepted means delivered', () => {
  it('F131 during a tool: with its results, in the same turn', async () => {
    const run = await rehearse({
      replies: [reply([toolUse('Bash', { command: 'sleep 0.2' })]), reply('Seen.')],
      onMessage: once(({ type }) => type === 'assistant', 'Also look at B.'),
    });
    expect(run.results).toMatchObject([{ result: 'Seen.' }]);
    expect(holds(run.sent[1], 'Also look at B.')).toBe(1);
  });

  it('F131 during back-off: as the next turn', async () => {
    const run = await rehearse({
      replies: [reply('A.', { faults: [{ name: 'http-status', status: 529 }] }), reply('A.'), reply('B.')],
      partial: true,
      onMessage: once(({ subtype }) => subtype === 'api_retry', 'And B?'),
    });
    expect(run.results.map((result) => 'result' in result && result.result)).toEqual(['A.', 'B.']);
    expect(holds(run.sent.at(-1), 'And B?')).toBe(1);
  });

  it('F131 during a compaction: as the next turn, and no summary swallows it', async () => {
    const run = await rehearse({
      files: { 'large.txt': 'seven words stand on each line here\n'.repeat(700) },
      replies: [
        reply([toolUse('Read', { file_path: 'large.txt' })], { times: 2 }),
        reply('<summary>large.txt holds seven words a line.</summary>', {
          when: { kind: 'compaction' },
          times: 'any',
        }),
        reply('A.'),
        reply('B.'),
      ],
      server: { windows: { [MODEL]: 15_900 } },
      rejectedBy: ['prompt-too-long'],
      options: { engine: { maxOutputTokens: 1_000 } },
      onMessage: once(({ subtype }) => subtype === 'status', 'And B?'),
    });
    expect(run.results.map((result) => 'result' in result && result.result)).toEqual(['A.', 'B.']);
    expect(holds(run.sent.at(-1), 'And B?')).toBe(1);
  });
});
