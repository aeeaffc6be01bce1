import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse } from '../rehearse.ts';
import { type SentMessage, wholeText } from '../sent.ts';

/** Without what marks a place in the cache, and with whatever else a user message gained left out. */
function bare(message: SentMessage | undefined): string[] {
  return (message?.content ?? []).map((block) => JSON.stringify({ ...block, cache_control: undefined }));
}

describe('L10.2 entries leave the view only by recorded edits, superseded blocks never enter it', () => {
  it('L10.2 every request contains the previous one, unchanged and in place; retracted messages are in none', async () => {
    const read = (name: string) => toolUse('Read', { file_path: name });
    const run = await rehearse({
      files: { 'a.txt': 'a', 'b.txt': 'b' },
      replies: [
        reply([`Superseded.`, 'x'], { faults: [{ name: 'cut', after: 5 }] }),
        reply(['First look.', read('a.txt')]),
        reply('Unusable.', { stop_reason: 'tool_use' }),
        reply(['Second look.', read('b.txt')]),
        reply('lost', { faults: ['http-status'] }),
        reply('Done.'),
      ],
    });
    for (const [at, body] of run.sent.entries()) {
      const before = run.sent[at - 1];
      expect(wholeText(body)).not.toContain('Superseded.');
      expect(wholeText(body)).not.toContain('Unusable.');
      for (const [n, message] of (before?.messages ?? []).entries()) {
        expect(body.messages[n]?.role).toBe(message.role);
        expect(bare(body.messages[n]).slice(0, message.content.length)).toEqual(bare(message));
      }
      expect(JSON.stringify(body.tools?.map((tool) => ({ ...tool, cache_control: undefined })))).toBe(
        JSON.stringify(run.sent[0]?.tools?.map((tool) => ({ ...tool, cache_control: undefined }))),
      );
    }
    const taken = run.entries.flatMap((entry) => (entry.type === 'retract' ? entry.uuids : []));
    expect(taken.length).toBe(2);
  });
});
