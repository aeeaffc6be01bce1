/**
 * A8, the half of the keyboard: whatever is pasted arrives as one paste with its content, and nothing of it is a key that
 * sends.
 */

import { anyText } from '@turnwright/test/any-text.ts';
import { inShortAndLongForm, propertyRuns } from '@turnwright/test/long-form.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../src/input/decoder.ts';
import { cleanPaste } from '../../src/input/tokens.ts';
import { eventsOf, LONG_MS, shortForm, shortForms, startDecoder } from './keyboard.ts';

const START = '\x1b[200~';
const END = '\x1b[201~';
const marked = (text: string) => `${START}${text}${END}`;
const pasted = (text: string) => [`paste ${JSON.stringify(text)}`];

/** As a terminal sends it: line feeds as carriage returns. */
const typed = (text: string) => text.replaceAll('\n', '\r');

/** Text of every kind that a clipboard holds, of about this many bytes. */
function content(bytes: number): string {
  const line = 'const größe = "漢字 👍🏽"; // 100 %\n\trm -rf / # no\n';
  return line.repeat(Math.ceil(bytes / Buffer.byteLength(line))).slice(0, bytes);
}

/** Reads of a terminal: at most this many bytes each. */
function reads(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

const SIZES = [
  1,
  7,
  8,
  9,
  100,
  801,
  4_095,
  4_096,
  65_536,
  1_000_000,
  inShortAndLongForm(2_000_000, 5_000_000),
];

describe('A8 a marked paste', () => {
  it.each(SIZES)('of %i bytes is one, with its content', async (size) => {
    const text = content(size);
    for (const read of [1_024, 65_536]) {
      const events = await eventsOf(...reads(marked(typed(text)), read));
      expect(events).toHaveLength(1);
      expect(events[0]?.kind === 'paste' && events[0].text === text).toBe(true);
    }
  });

  it('is one wherever its marks are split', async () => {
    const bytes = Buffer.from(marked('echo 1\r漢'));
    for (let cut = 0; cut <= bytes.length; cut += 1)
      for (let second = cut; second <= bytes.length; second += 1) {
        const parts = [bytes.subarray(0, cut), bytes.subarray(cut, second), bytes.subarray(second)];
        expect(await shortForms(...parts)).toEqual(pasted('echo 1\n漢'));
      }
  });

  it('is one when its end comes late, by any byte', async () => {
    for (let cut = 1; cut < END.length; cut += 1) {
      const { clock, events, decoder } = startDecoder();
      decoder.push(Buffer.from(`${START}echo 1\r${END.slice(0, cut)}`));
      await clock.advance(1_500);
      expect(events).toEqual([]);
      decoder.push(Buffer.from(END.slice(cut)));
      await clock.advance(LONG_MS);
      expect(events.map(shortForm)).toEqual(pasted('echo 1\n'));
    }
  });

  it.each([
    ['in the middle', `safe${END}\rrm -rf /\rmore`, 'safe\nrm -rf /\nmore'],
    ['followed by an Enter only', `safe${END}\r`, 'safe\n'],
    ['at its end', `safe\r${END}`, 'safe\n'],
    ['at its beginning', `${END}\rrm -rf /\r`, '\nrm -rf /\n'],
    ['twice', `a${END}${END}\rb`, 'a\nb'],
    ['many times', `x${END}\r`.repeat(2_000), 'x\n'.repeat(2_000)],
    ['put together from two', `a\x1b[20${END}1~\rb`, 'a\nb'],
    ['with another beginning', `a${END}${START}b`, undefined],
    ['around an Enter', `a${END}\r${START}b`, 'a\nb'],
  ])('with an end mark inside (%s) runs nothing', async (_, inside, text) => {
    const all = Buffer.from(marked(inside));
    const splits =
      all.length > 200 ? [0, 100, 4_096] : Array.from({ length: all.length + 1 }, (_, cut) => cut);
    for (const cut of splits) {
      const forms = await shortForms(all.subarray(0, cut), all.subarray(cut));
      expect(forms.every((form) => form.startsWith('paste '))).toBe(true);
      if (text !== undefined) expect(forms).toEqual(pasted(text));
    }
  });

  it('with an end mark inside of any text, at any place, split anywhere, sends nothing', async () => {
    const part = fc.constantFrom(
      'a',
      '\r',
      'rm -rf /\r',
      END,
      START,
      '\x1b',
      '\x1b[A',
      '\x03',
      '漢',
      '\x1b[20',
      '1~',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        async (parts, cuts) => {
          const bytes = Buffer.from(marked(parts.join('')));
          const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
          const events = await eventsOf(
            ...[0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length)),
          );
          expect(events.filter(({ kind }) => kind !== 'paste')).toEqual([]);
          const text = events.map((event) => (event.kind === 'paste' ? event.text : '')).join('');
          expect(text).not.toMatch(/(?![\n\t])\p{Cc}/u);
        },
      ),
      { numRuns: propertyRuns(300, 3_000) },
    );
  });

  it('whose end never comes is given after two seconds of silence, and the keyboard works again', async () => {
    const { clock, events, decoder } = startDecoder();
    decoder.push(Buffer.from(`${START}lost`));
    await clock.advance(2_000);
    expect(events.map(shortForm)).toEqual(pasted('lost'));
    decoder.push(Buffer.from('\r'));
    await clock.advance(LONG_MS);
    expect(events.map(shortForm)).toEqual([...pasted('lost'), 'enter']);
  });

  it('is followed by the keys after it: few at once, or many after a pause', async () => {
    const { clock, events, decoder } = startDecoder();
    decoder.push(Buffer.from(marked('one')));
    await clock.advance(20);
    decoder.push(Buffer.from('\r'));
    await clock.advance(LONG_MS);
    expect(events.map(shortForm)).toEqual([...pasted('one'), 'enter']);
    expect(await shortForms(marked('one'), marked('two'))).toEqual([...pasted('one'), ...pasted('two')]);
    expect(await shortForms(marked(''))).toEqual(pasted(''));
  });
});

describe('A8 a paste that the terminal does not mark', () => {
  it.each(SIZES.filter((size) => size >= 8))(
    'of %i bytes is text, and nothing of it is Enter',
    async (size) => {
      const text = content(size);
      for (const read of [1, 3, 4_096].filter((one) => one > 3 || size < 10_000)) {
        const events = await eventsOf(...reads(typed(text), read));
        const whole = events.map((event) =>
          event.kind === 'reply' ? '' : (event.text ?? `<${shortForm(event)}>`),
        );
        expect(whole.join('') === text).toBe(true);
        expect(events.filter(({ kind }) => kind === 'paste')).toHaveLength(1);
      }
    },
  );

  it('is one while less than 60 ms pass between its reads', async () => {
    const { clock, events, decoder } = startDecoder();
    for (const read of ['first line\r', 'second\r', '\r']) {
      decoder.push(Buffer.from(read));
      await clock.advance(59);
    }
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(events.map(shortForm)).toEqual(pasted('first line\nsecond\n\n'));
  });

  it('of less than eight bytes, or at the speed of a person, is keys', async () => {
    expect(await shortForms('ls -l\r')).toEqual(["'l'", "'s'", "' '", "'-'", "'l'", 'enter']);
    const { clock, events, decoder } = startDecoder();
    for (const letter of 'typed by a hand\r') {
      decoder.push(Buffer.from(letter));
      await clock.advance(11);
    }
    await clock.advance(LONG_MS);
    expect(events.map(shortForm).at(-1)).toBe('enter');
    expect(events).toHaveLength(16);
  });

  it('is not what keys make that are sequences, however many come at once', async () => {
    expect(await shortForms('\x1b[A'.repeat(20))).toEqual(Array(20).fill('up'));
  });

  it('is known by what arrived, not by when the process came to read it', async () => {
    const { clock, events } = startDecoder();
    const waiting: (() => void)[] = [];
    const onEvent = events.push.bind(events);
    const decoder = createDecoder({ clock, onEvent, afterInput: (callback) => waiting.push(callback) });
    decoder.push(Buffer.from('ls\r'));
    // The process stood still; the timer is due before the rest is read.
    await clock.advance(500);
    decoder.push(Buffer.from('rm -rf /\r'));
    for (const callback of waiting.splice(0)) callback();
    await clock.advance(LONG_MS);
    for (const callback of waiting.splice(0)) callback();
    expect(events.map(shortForm)).toEqual(pasted('ls\nrm -rf /\n'));
  });
});

describe('what was pasted', () => {
  it.each([
    ['line breaks of Windows and of old Macs', 'a\r\nb\rc\n', 'a\nb\nc\n'],
    ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
    ['a title and the clipboard', 'a\x1b]0;title\x07b\x1b]52;c;cm0=\x1b\\c', 'abc'],
    ['marks', `a${START}b${END}c`, 'abc'],
    ['marks within marks', 'a\x1b[20\x1b[201~1~b', 'a[201~b'],
    ['controls', 'a\x00\x07\x08\x7f\x1b\u0085\u009bb', 'ab'],
    ['tabs and wide characters stay', '\t漢\u202e👍🏽', '\t漢\u202e👍🏽'],
  ])('is cleaned: %s', (_, text, cleaned) => {
    expect(cleanPaste(text)).toBe(cleaned);
  });

  it('is not what comes at once where the terminal marks pastes, or has marked one', async () => {
    const { clock, events, decoder } = startDecoder('marked');
    decoder.push(Buffer.from('hi\ryou\r'));
    expect(events.map(shortForm).join(' ')).toBe("'h' 'i' enter 'y' 'o' 'u' enter");
    await clock.advance(LONG_MS);
    expect(events).toHaveLength(7);
    const later = startDecoder();
    later.decoder.push(Buffer.from(marked('x')));
    await later.clock.advance(LONG_MS);
    later.decoder.push(Buffer.from('hello again\r'));
    expect(later.events.map(shortForm).at(-1)).toBe('enter');
  });

  it.each([
    ['a line with Enter behind it', 'hello again\r', ['paste "hello again"', 'enter']],
    ['a line that goes on', 'hello again', ['paste "hello again"']],
    ['two lines', 'hello\ragain\r', ['paste "hello\\nagain\\n"']],
    ['a line feed between two lines', 'hello\nagain\n', ['paste "hello\\nagain\\n"']],
    ['a marked line', marked('hello\r'), ['paste "hello\\n"']],
    ['Enter alone', '\r', ['enter']],
  ])('where nothing is known of the terminal: %s', async (_, sent, expected) => {
    const { clock, events, decoder } = startDecoder('unknown');
    decoder.push(Buffer.from(sent));
    await clock.advance(LONG_MS);
    expect(events.map(shortForm)).toEqual(expected);
  });

  it('has no control character left, whatever it was', () => {
    const part = fc.oneof(anyText(), fc.constantFrom('\x1b', '[', '201~', ']', '\x07', '\x9b', '\r'));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect(cleanPaste(parts.join(''))).not.toMatch(/(?![\n\t])\p{Cc}/u);
      }),
      { numRuns: propertyRuns(300, 3_000) },
    );
  });
});
