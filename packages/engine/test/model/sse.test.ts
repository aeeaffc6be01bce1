import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseReader } from '../../src/model/stream/sse.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/** Section 9.2.6 of the HTML standard, word by word: what is dispatched for a whole stream. */
function dispatched(bytes: Buffer): string[] {
  const text = bytes.toString('utf8');
  const stream = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const events: string[] = [];
  let data = '';
  // What stands behind the last end of a line is no line yet.
  for (const line of stream.split(/\r\n|\n|\r/).slice(0, -1)) {
    if (line === '') {
      if (data !== '') events.push(data.slice(0, -1));
      data = '';
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data += `${value}\n`;
  }
  return events;
}

function read(bytes: Buffer, cuts: readonly number[]): string[] {
  const reader = createSseReader();
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let from = 0;
  return places.flatMap((to) => {
    const part = bytes.subarray(from, to);
    from = to;
    return reader.push(part) ?? ['outgrown'];
  });
}

const word = fc.constantFrom(
  ...['data', 'data:', 'data: ', 'data:  x', 'date: 1', ' data: 2', 'Data: 3', 'data : 4'],
  ...['event: ping', 'id: 1', 'retry: 10', 'event', ':', ': comment', ':data: 5', 'unknown: 6'],
  ...['{"type":"ping"}', 'Grüße', '👋', '\u2028', '\0', BYTE_ORDER_MARK, ' ', ':'],
);
const lineEnd = fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\n\r\n', '\r\r');
const written = fc
  .array(fc.oneof({ weight: 3, arbitrary: word }, { weight: 3, arbitrary: lineEnd }, fc.string()))
  .map((texts) => Buffer.from(texts.join('')));
const cuts = fc.array(fc.nat(), { maxLength: 8 });

describe('server-sent events', () => {
  it('are those of the standard, wherever their bytes are cut', () => {
    const bytes = fc.oneof(written, fc.uint8Array({ maxLength: 64 }).map(Buffer.from));
    fc.assert(
      fc.property(bytes, cuts, (stream, where) => {
        expect(read(stream, where)).toEqual(dispatched(stream));
      }),
      { numRuns: 2000 },
    );
  });

  it('come out one by one when every byte comes alone', () => {
    const stream = Buffer.from(`${BYTE_ORDER_MARK}data: Grüße\r\ndata\rdata:👋\n\r: no\r\n\ndata: cut`);
    const alone = Array.from(stream, (_, at) => at);
    expect(read(stream, alone)).toEqual(['Grüße\n\n👋']);
  });
});
