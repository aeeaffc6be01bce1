import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { anyText } from '@turnwright/test/any-text.ts';
import { decisionRecord, SESSION } from '@turnwright/test/session/sample-journal.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_USAGE } from '../../src/protocol/model/wire.ts';
import type { DecisionRecord } from '../../src/protocol/session/decision-record.ts';
import type { JournalBody } from '../../src/protocol/session/journal.ts';
import {
  bareResult,
  decodeLine,
  encodeRecord,
  encodeTakeover,
  type PeekedLine,
  peekLine,
  sessionPrefix,
} from '../../src/session/journal/envelope.ts';

const prefix = sessionPrefix({ sessionId: SESSION, cwd: '/with "quotes"\n/and ünicode', version: '1' });
const encode = (body: JournalBody, seq = 7, epoch = 2) =>
  Buffer.from(encodeRecord(body, { seq, epoch }, prefix, 0));

/** An object that is found in itself. */
function cyclic() {
  const outer: Record<string, unknown> = { name: 'outer' };
  outer['inner'] = { back: outer, list: [outer] };
  return outer;
}

/** The same object in two places, beside a value for which plain JSON fails. */
function twice() {
  const x = { y: 1 };
  return { n: 1n, a: { x }, b: { x } };
}

describe('envelope', () => {
  it('comes back as it went, whatever the content', () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyText(), fc.nat(), fc.nat(), (result, id, seq, epoch) => {
        const body: JournalBody = { type: 'result', id, submission: 's', result };
        const line = encode(body, seq, epoch);
        expect(line.includes(10)).toBe(false);
        expect(peekLine(line)).toMatchObject({ seq, epoch, type: 'result', owner: undefined });
        const decoded = decodeLine(line);
        expect(decoded).toMatchObject({
          kind: 'ok',
          entry: { v: 1, seq, epoch, sessionId: SESSION, timestamp: '1970-01-01T00:00:00.000Z' },
        });
        const again = JSON.parse(JSON.stringify(body)) as object;
        expect(decoded.kind === 'ok' && decoded.entry).toMatchObject(again);
      }),
    );
  });

  it('is one line also for readers that end a line at U+2028 and U+2029, as that of Node 24 does', () => {
    const text = 'one\u2028two\u2029three';
    const inFolder = sessionPrefix({ sessionId: SESSION, cwd: `/${text}`, version: '1' });
    const body: JournalBody = { type: 'result', id: 'i', submission: 's', result: { [text]: text } };
    const line = Buffer.from(encodeRecord(body, { seq: 7, epoch: 2 }, inFolder, 0));
    expect(line.toString()).not.toMatch(/[\u2028\u2029]/);
    expect(decodeLine(line)).toMatchObject({ kind: 'ok', entry: { ...body, cwd: `/${text}` } });
  });

  it.each([10, 60_000, 70_000, 1_000_000])('a line with %d characters has the sum of all of it', (chars) => {
    const body: JournalBody = { type: 'result', id: 'i', submission: 's', result: 'ü€'.repeat(chars / 2) };
    expect(decodeLine(encode(body))).toMatchObject({ kind: 'ok', entry: body });
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

  it('a decision is restored as it was appended, in at most 2 kB', () => {
    const idle = (step: string) => ({
      step,
      ran: false,
      why: `${step} has nothing to do: 1469 tokens, below 5980200`,
    });
    const passed = (name: string, read?: Record<string, unknown>) =>
      ({ name, verdict: 'pass', ...(read && { read }) }) as const;
    const record: DecisionRecord = {
      ...decisionRecord('s', 1, 1, { kind: 'stop', terminal: 'completed', sentence: 'Stopped: completed.' }),
      prepare: [
        ...['boundary', 'budget', 'media', 'snip', 'clearing', 'collapse', 'compact', 'warning'].map(idle),
        { step: 'limit', ran: true, why: 'near', tokensBefore: 10, ms: 1 },
        { step: 'of a name: its own', ran: false, why: 'no' },
      ],
      rules: [
        passed('aborted', { abortReason: null, deniedWithInterrupt: false }),
        passed('prompt_too_long', { calls: 0, failure: null }),
        passed('media_too_large'),
        passed('output_cap', { calls: 0, stopReason: 'end_turn' }),
        passed('unusable_answer', { calls: 1, stopReason: 'end_turn' }),
        passed('turn_limit', {}),
        { name: 'stop_hooks', verdict: 'continue', read: { calls: 0, messages: 1 } },
      ],
    };
    const decision: JournalBody = { type: 'decision', id: 's/1/1/decision', submission: 's', record };
    const line = encode(decision);
    expect(line.length).toBeLessThan(2048);
    expect(line.toString()).toContain('"media_too_large","output_cap: calls stopReason"');
    const decoded = decodeLine(line);
    expect(decoded.kind === 'ok' && decoded.entry).toMatchObject(decision);
    expect(decoded.kind === 'ok' && decoded.entry.type === 'decision' && decoded.entry.record).toEqual(
      record,
    );
  });

  it('a decision is restored as it was appended, whatever its parts are called and contain', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'calls',
        'messages',
        '',
        '__proto__',
        'constructor',
        'toString',
        'a b',
        'a:',
        ': ',
        '1',
      ),
      fc.string(),
    );
    const value = fc.oneof(
      fc.constantFrom(0, -0, 1, '', 'end_turn', null, true, undefined, Number.NaN),
      fc.jsonValue(),
    );
    const read = fc.dictionary(name, value);
    const rule = fc.record(
      { name, verdict: fc.constantFrom('pass', 'continue', 'stop'), read },
      { requiredKeys: ['name', 'verdict'] },
    );
    const step = fc.record(
      { step: name, ran: fc.boolean(), why: name, ms: fc.nat(), replaced: fc.array(name) },
      { requiredKeys: ['step', 'ran', 'why'] },
    );
    fc.assert(
      fc.property(fc.array(step), fc.array(rule), fc.constantFrom('s', 't'), (prepare, rules, submission) => {
        const record = { ...decisionRecord(submission, 1, 1, undefined), prepare, rules };
        const decoded = decodeLine(encode({ type: 'decision', id: 'd', submission: 's', record }));
        const told = decoded.kind === 'ok' && decoded.entry.type === 'decision' && decoded.entry.record;
        // Fields named like an object's own machinery are compared as what they are.
        expect(told).toSatisfy((value) => isDeepStrictEqual(value, JSON.parse(JSON.stringify(record))));
      }),
      { numRuns: 1000 },
    );
  });

  it('reads decisions and responses that an earlier version wrote in full', () => {
    const record = decisionRecord('s', 1, 1, undefined);
    const usage = { ...EMPTY_USAGE, output_tokens: 3 };
    const told = [
      {
        type: 'decision',
        id: 'd',
        submission: 's',
        record: { ...record, rules: [{ name: 'a', verdict: 'pass' }] },
      },
      { type: 'response', id: 'r', submission: 's', messageId: 'm', model: 'x', usage },
    ];
    for (const body of told) {
      const message = body.type === 'response' ? { message: { id: 'm', model: 'x', usage } } : {};
      const full = `{"v":1,"seq":1,"epoch":1,"cwd":"/a \\"b\\"",${JSON.stringify({ ...body, ...message }).slice(1)}`;
      const sum = crc32(full).toString(16).padStart(8, '0');
      const line = Buffer.from(`${full.slice(0, -1)},"sum":"${sum}"}`);
      expect(peekLine(line)).toMatchObject({ seq: 1, epoch: 1, type: body.type });
      const decoded = decodeLine(line);
      expect(decoded).toEqual({ kind: 'ok', entry: { v: 1, seq: 1, epoch: 1, cwd: '/a "b"', ...body } });
    }
  });

  it('a response says what it cost once', () => {
    const usage = { ...EMPTY_USAGE, output_tokens: 3 };
    const body: JournalBody = {
      type: 'response',
      id: 'r',
      submission: 's',
      iteration: 1,
      messageId: 'm',
      stopReason: 'end_turn',
      usage,
      costUsd: 1,
    };
    const line = encode(body);
    expect(line.toString().split('"usage"').length).toBe(2);
    const decoded = decodeLine(line);
    expect(decoded.kind === 'ok' && decoded.entry).toMatchObject(body);
    expect(decoded.kind === 'ok' && decoded.entry).not.toHaveProperty('message');
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

  it('a field of that name that holds no sum makes a foreign record no damaged one', () => {
    const line = (sum: string) => Buffer.from(`{"type":"title","text":"x","sum":"${sum}"}`);
    expect(decodeLine(line('a total!')).kind).toBe('foreign');
    expect(decodeLine(line('ABCDEFGH')).kind).toBe('foreign');
    expect(decodeLine(line('0badc0de')).kind).toBe('bad_checksum');
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

  it.each([
    { type: 'user', uuid: 'u', toolUseResult: { file: { base64: 'x' } } },
    { type: 'user', uuid: 'u', toolUseResult: 'x', message: { role: 'user', content: 'x' } },
    { uuid: 'u', kind: 'prompt', type: 'user', message: { role: 'user', content: 'its type is not first' } },
  ])('a record of an unusual shape comes back as it is: %j', (record) => {
    const line = encode(record as unknown as JournalBody);
    expect(peekLine(line)).toMatchObject({ seq: 7, epoch: 2, type: 'user' });
    expect(line.toString()).toMatch(/^\{"v":1,"seq":7,"epoch":2,"type":"user",/);
    expect(decodeLine(line)).toMatchObject({ kind: 'ok', entry: record });
  });

  it.each([
    ['a big integer as its digits', { n: 12n, m: [-3n] }, { n: '12', m: ['-3'] }],
    [
      'values beside it as they are',
      { n: 1n, a: null, b: true, c: 'x', d: [1] },
      { n: '1', a: null, b: true, c: 'x', d: [1] },
    ],
    ['a cycle as a word', cyclic(), { name: 'outer', inner: { back: '[circular]', list: ['[circular]'] } }],
    ['what stands twice without a cycle twice', twice(), { n: '1', a: { x: { y: 1 } }, b: { x: { y: 1 } } }],
  ])('keeps %s', (_, result, kept) => {
    const decoded = decodeLine(encode({ type: 'result', id: 'i', submission: 's', result }));
    expect(decoded.kind === 'ok' && decoded.entry).toMatchObject({ result: kept });
  });

  it('refuses a record that JSON cannot hold at all, and says why', () => {
    const cause = new Error('no JSON of this');
    const result = {
      toJSON() {
        throw cause;
      },
    };
    expect(() => encode({ type: 'result', id: 'i', submission: 's', result })).toThrow(
      expect.objectContaining({ code: 'storage_error', cause }),
    );
  });

  it.each([
    ['of a file that has its own data', { file: { base64: 'x' } }, {}],
    ['of a file of text', { file: { filePath: 'a', content: 'x' } }, {}],
    ['without a file, whatever another program has marked', 'x', { fileIsContent: true }],
  ])('a result %s comes back with these fields alone', (_, toolUseResult, marks) => {
    const content = [{ type: 'tool_result', tool_use_id: 't', content: 'x' }];
    const body = { type: 'user', uuid: 'u', toolUseResult, ...marks, message: { role: 'user', content } };
    const decoded = decodeLine(encode(body as unknown as JournalBody));
    const told =
      decoded.kind === 'ok' ? (decoded.entry as { toolUseResult?: unknown }).toolUseResult : undefined;
    expect(told).toStrictEqual(toolUseResult);
  });

  it.each([
    ['an upper-case digit', (sum: string) => `${sum.slice(0, 7)}A`],
    ['a letter that is no digit', (sum: string) => `${sum.slice(0, 7)}g`],
    ['a sign', (sum: string) => `${sum.slice(0, 7)}/`],
    ['a colon', (sum: string) => `${sum.slice(0, 7)}:`],
    ['a quote', (sum: string) => `${sum.slice(0, 7)}\``],
  ])('%s in the place of the last digit is no sum', (_, change) => {
    const line = encode({ type: 'title', id: 't', submission: 's', title: 'some text' }).toString();
    const changed = line.replace(/"sum":"(\w+)"/, (_, sum: string) => `"sum":"${change(sum)}"`);
    expect(decodeLine(Buffer.from(changed)).kind).toBe('bad_checksum');
    expect(peekLine(Buffer.from(changed))).toBeUndefined();
  });

  it('a result is read without its content, another record is not', () => {
    const result = encode({ type: 'result', id: 'i', submission: 's', result: 'x'.repeat(1000) });
    expect(bareResult(result, peekLine(result) as PeekedLine)).toEqual({
      v: 1,
      seq: 7,
      epoch: 2,
      sessionId: '',
      cwd: '',
      timestamp: '',
      type: 'result',
      id: 'i',
      submission: 's',
      result: undefined,
    });
    const other = encode({ type: 'result', id: 'a "b"', submission: 's', result: 'x' });
    expect(bareResult(other, peekLine(other) as PeekedLine)).toBeUndefined();
  });

  it('marks a takeover', () => {
    const line = Buffer.from(encodeTakeover({ seq: 4, epoch: 3 }, 'nonce', prefix, 0));
    expect(decodeLine(line)).toEqual({ kind: 'takeover', head: { seq: 4, epoch: 3 }, owner: 'nonce' });
    expect(peekLine(line)).toMatchObject({ seq: 4, epoch: 3, type: 'takeover', owner: 'nonce' });
  });
});
