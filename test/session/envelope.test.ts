import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalBody } from '../../src/protocol/journal.ts';
import {
  decodeLine,
  encodeRecord,
  encodeTakeover,
  peekLine,
  sessionPrefix,
} from '../../src/session/envelope.ts';
import { SESSION } from './sample-journal.ts';

const prefix = sessionPrefix({ sessionId: SESSION, cwd: '/with "quotes"\n/and ünicode', version: '1' });
const encode = (body: JournalBody, seq = 7, epoch = 2) =>
  Buffer.from(encodeRecord(body, { seq, epoch }, prefix, 0));

describe('envelope', () => {
  it('comes back as it went, whatever the content', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.string({ unit: 'binary' }),
        fc.nat(),
        fc.nat(),
        (result, id, seq, epoch) => {
          const body: JournalBody = { type: 'result', id, submission: 's', result };
          const line = encode(body, seq, epoch);
          expect(line.includes(10)).toBe(false);
          expect(peekLine(line)).toMatchObject({ seq, epoch, takeoverBy: undefined });
          const decoded = decodeLine(line);
          expect(decoded).toMatchObject({
            kind: 'ok',
            entry: { v: 1, seq, epoch, sessionId: SESSION, timestamp: '1970-01-01T00:00:00.000Z' },
          });
          const again = JSON.parse(JSON.stringify(body)) as object;
          expect(decoded.kind === 'ok' && decoded.entry).toMatchObject(again);
        },
      ),
    );
  });

  it.each([
    ['as large text that the model reads too', 20_000, (text: string) => [{ type: 'text', text }], 1],
    ['as a short text', 100, (text: string) => [{ type: 'text', text }], 2],
    ['as other text', 20_000, (text: string) => [{ type: 'text', text: `${text}!` }], 2],
    ['as a block with more in it', 20_000, (text: string) => [{ type: 'text', text, more: 1 }], 2],
  ])('a structured result %s comes back, and stands there as often as it must', (_, chars, result, times) => {
    const text = 'x'.repeat(chars);
    const content = [
      { type: 'tool_result' as const, tool_use_id: 't', content: [{ type: 'text' as const, text }] },
    ];
    const body: JournalBody = {
      type: 'user',
      uuid: 'u',
      timestamp: '1970-01-01T00:00:00.000Z',
      submission: 's',
      message: { role: 'user', content },
      kind: 'tool_result',
      toolUseResult: result(text),
    };
    const line = encode(body);
    expect(line.toString().split(text).length - 1).toBe(times);
    const decoded = decodeLine(line);
    expect(decoded.kind === 'ok' && decoded.entry).toMatchObject(JSON.parse(JSON.stringify(body)));
    expect(decoded.kind === 'ok' && decoded.entry).not.toHaveProperty('resultIsContent');
  });

  it('F70 knows every change of one byte, and every cut', () => {
    const line = encode({ type: 'title', id: 't', submission: 's', title: 'some text' });
    for (let at = 0; at < line.length; at++) {
      const changed = Buffer.from(line);
      changed[at] = (changed[at] as number) ^ 1;
      expect(decodeLine(changed).kind, `byte ${at}`).not.toBe('ok');
      expect(decodeLine(changed).kind, `byte ${at}`).not.toBe('foreign');
      expect(peekLine(changed)).toBeUndefined();
      expect(decodeLine(line.subarray(0, at)).kind).toBe('torn');
    }
  });

  it('tells foreign records from its own that lost their sum', () => {
    expect(decodeLine(Buffer.from('{"type":"user","uuid":"x"}'))).toEqual({
      kind: 'foreign',
      record: { type: 'user', uuid: 'x' },
    });
    expect(decodeLine(Buffer.from('{"v":1,"seq":3,"epoch":1,"type":"title"}')).kind).toBe('bad_checksum');
    for (const junk of ['', '[]', '3', 'null', '{"no":"type"}', 'x'])
      expect(decodeLine(Buffer.from(junk)).kind).toBe('torn');
  });

  it('takes a record that another program copied and added to for a foreign one', () => {
    const line = encode({ type: 'title', id: 't', submission: 's', title: 'some text' });
    const copied = { ...JSON.parse(line.toString()), sessionId: 'other', forkedFrom: { sessionId: 'x' } };
    expect(decodeLine(Buffer.from(JSON.stringify(copied)))).toMatchObject({
      kind: 'foreign',
      record: { type: 'title', sessionId: 'other', title: 'some text' },
    });
  });

  it('marks a takeover', () => {
    const line = Buffer.from(encodeTakeover({ seq: 4, epoch: 3 }, 'nonce', prefix, 0));
    expect(decodeLine(line)).toEqual({ kind: 'takeover', head: { seq: 4, epoch: 3 }, owner: 'nonce' });
    expect(peekLine(line)).toMatchObject({ seq: 4, epoch: 3, takeoverBy: 'nonce' });
  });
});
