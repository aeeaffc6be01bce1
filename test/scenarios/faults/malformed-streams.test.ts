import { type FaultName, reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { spoken } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

const TEXT = 'Grüße aus Łódź: ✓ 🎉 — and that is all.';
/** Read as if nothing were. */
const HARMLESS: readonly FaultName[] = [
  'crlf',
  'split-utf8',
  'unknown-event',
  'unknown-block',
  'slow-drip',
  'delta-without-usage',
  'reset-after-stop',
];
/** Asked again. */
const BROKEN: readonly FaultName[] = [
  'cut',
  'truncated-json',
  'invalid-json',
  'empty-body',
  'reset-after-bytes',
];
/** Either is right: what matters is that the answer is whole. */
const ODD: readonly FaultName[] = ['out-of-order', 'duplicate-event', 'huge-delta'];

describe('F41 streams that are not as they should be', () => {
  it.each(HARMLESS)('F41 %s: read as it was meant', async (fault) => {
    const run = await rehearse({ replies: [reply(TEXT, { faults: [fault], timing: { deltaChars: 3 } })] });
    expect(spoken(run.messages)).toEqual([TEXT]);
    expect(successOf(run)).toMatchObject({ is_error: false, result: TEXT });
  });

  it.each(BROKEN)('F41 %s: a broken stream, asked again, never a crash or an empty turn', async (fault) => {
    const run = await rehearse({
      replies: [reply(TEXT, { faults: [fault], timing: { deltaChars: 3 } }), reply(TEXT)],
    });
    expect(successOf(run)).toMatchObject({ is_error: false, result: TEXT, num_turns: 1 });
    expect(run.sent).toHaveLength(2);
  });

  it.each(ODD)('F41 %s: ends whole, by whatever way', async (fault) => {
    const run = await rehearse({
      replies: [reply(TEXT, { faults: [fault], timing: { deltaChars: 3 } }), reply(TEXT)],
      partial: true,
    });
    const result = successOf(run);
    expect(result.is_error).toBe(false);
    expect(result.result.length).toBeGreaterThanOrEqual(TEXT.length);
  });

  it('F41 F147 the output cap in the middle of a call’s JSON: it does not run, and is asked for again with room', async () => {
    const call = () => toolUse('Bash', { command: 'echo whole > ran.txt' });
    const run = await rehearse({
      replies: [reply(call(), { faults: ['max-tokens-in-tool-json'] }), reply(call()), reply('Ran once.')],
    });
    expect(run.entries.filter((entry) => entry.type === 'intent')).toHaveLength(1);
    expect(run.sent.map((body) => body.max_tokens)).toEqual([8_000, 64_000, 8_000]);
    expect(successOf(run).result).toBe('Ran once.');
  });
});
