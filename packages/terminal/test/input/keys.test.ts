/** Each encoding of a key, as terminals send it, and the key that it is. */

import { anyText } from '@turnwright/test/any-text.ts';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../src/input/decoder.ts';
import { eventsOf, LONG_MS, shortForm, shortForms, startDecoder } from './keyboard.ts';

const KEYS: readonly (readonly [from: string, sequence: string, key: string])[] = [
  ['every terminal', 'a', "'a'"],
  ['every terminal', 'A', "'A'"],
  ['every terminal', 'é', "'é'"],
  ['every terminal', '漢', "'漢'"],
  ['every terminal', '👍', "'👍'"],
  ['every terminal', ' ', "' '"],
  ['every terminal', '\r', 'enter'],
  ['every terminal', '\n', 'ctrl+j'],
  ['every terminal', '\t', 'tab'],
  ['every terminal', '\x7f', 'backspace'],
  ['every terminal', '\x08', 'ctrl+h'],
  ['every terminal', '\x00', 'ctrl+space'],
  ['every terminal', '\x01', 'ctrl+a'],
  ['every terminal', '\x03', 'ctrl+c'],
  ['every terminal', '\x1a', 'ctrl+z'],
  ['every terminal', '\x1f', 'ctrl+_'],
  ['every terminal', '\x1b', 'escape'],
  ['Escape twice', '\x1b\x1b', 'escape,escape'],
  ['Alt', '\x1bb', 'alt+b'],
  ['Alt', '\x1bB', 'alt+shift+b'],
  ['Alt', '\x1b\r', 'alt+enter'],
  ['Alt', '\x1b\x7f', 'alt+backspace'],
  ['Alt', '\x1b[', 'alt+['],
  ['Alt', '\x1b]', 'alt+]'],
  ['Alt', '\x1bO', 'alt+shift+o'],
  ['Alt', '\x1bP', 'alt+shift+p'],
  ['xterm', '\x1b[A', 'up'],
  ['xterm', '\x1b[1;2A', 'shift+up'],
  ['xterm', '\x1b[1;3A', 'alt+up'],
  ['xterm', '\x1b[1;5C', 'ctrl+right'],
  ['xterm', '\x1b[1;8D', 'ctrl+alt+shift+left'],
  ['xterm', '\x1bOA', 'up'],
  ['xterm', '\x1bO5C', 'ctrl+right'],
  ['xterm', '\x1b[H', 'home'],
  ['xterm', '\x1b[F', 'end'],
  ['xterm', '\x1b[5~', 'pageup'],
  ['xterm', '\x1b[3;5~', 'ctrl+delete'],
  ['xterm', '\x1b[Z', 'shift+tab'],
  ['xterm', '\x1bOP', 'f1'],
  ['xterm', '\x1b[15;2~', 'shift+f5'],
  ['xterm', '\x1b[24~', 'f12'],
  ['Meta as a second escape', '\x1b\x1b[A', 'alt+up'],
  ['rxvt', '\x1b[a', 'shift+up'],
  ['rxvt', '\x1bOa', 'ctrl+up'],
  ['rxvt', '\x1b[7~', 'home'],
  ['rxvt', '\x1b[3$', 'shift+delete'],
  ['rxvt', '\x1b[3^', 'ctrl+delete'],
  ['the Linux console', '\x1b[[A', 'f1'],
  ['the number pad', '\x1bOM', 'enter'],
  ['the number pad', '\x1bOq', "'1'"],
  ['modifyOtherKeys', '\x1b[27;2;13~', 'shift+enter'],
  ['modifyOtherKeys', '\x1b[27;5;13~', 'ctrl+enter'],
  ['modifyOtherKeys', '\x1b[27;6;97~', 'ctrl+shift+a'],
  ['kitty', '\x1b[27u', 'escape'],
  ['kitty', '\x1b[13;2u', 'shift+enter'],
  ['kitty', '\x1b[13;5u', 'ctrl+enter'],
  ['kitty', '\x1b[97;5u', 'ctrl+a'],
  ['kitty', '\x1b[97:65;6u', 'ctrl+shift+a'],
  ['kitty', '\x1b[47:63;4u', 'alt+?'],
  ['kitty', '\x1b[97;3u', 'alt+a'],
  ['kitty', '\x1b[9;2u', 'shift+tab'],
  ['kitty', '\x1b[127;5u', 'ctrl+backspace'],
  ['kitty, with Caps Lock and Num Lock', '\x1b[97;197u', 'ctrl+a'],
  ['kitty, a Russian layout', '\x1b[1089::99;5u', 'ctrl+c'],
  ['kitty, with its text', '\x1b[97;2;65u', "'A'"],
  ['kitty, the number pad', '\x1b[57400u', "'1'"],
  ['kitty, the number pad', '\x1b[57414u', 'enter'],
  ['kitty, a key held down', '\x1b[97;5:2u', 'ctrl+a'],
  ['kitty, a key released', '\x1b[97;5:3u', ''],
  ['kitty, Shift alone', '\x1b[57441;2u', ''],
  ['kitty, a key of the window manager', '\x1b[97;9u', ''],
  ['an answer', '\x1b[12;40R', 'cursor 12 40'],
  ['an answer', '\x1b[?12;40R', 'cursor 12 40'],
  ['an answer', '\x1b[?5u', 'keyboard 5'],
  ['an answer', '\x1b[?64;1;2c', 'device 64 1 2'],
  ['an answer', '\x1b]11;rgb:ffff/0000/0000\x1b\\', 'background 1 0 0'],
  ['an answer', '\x1b]11;rgb:00/ff/00\x07', 'background 0 1 0'],
  ['a mouse that was left on', '\x1b[<0;3;4M', ''],
  ['a window that gets the focus', '\x1b[I', ''],
  ['a title that is reported', '\x1b]lrm -rf\x1b\\', ''],
  ['a version that is reported', '\x1bP>|XTerm(390)\x1b\\', ''],
  ['a C1 control character', '\u009b', ''],
  ['a sequence without an end', '\x1b[1;', ''],
  ['an end of a paste without a beginning', '\x1b[201~', ''],
];

describe('a key', () => {
  it.each(KEYS)('of %s: %j is %s', async (_, sequence, key) => {
    expect((await shortForms(sequence)).join(',')).toBe(key);
  });

  it.each(KEYS)('of %s: %j, a byte at a time, is %s', async (_, sequence, key) => {
    const bytes = [...Buffer.from(sequence)].map((byte) => Uint8Array.of(byte));
    expect((await shortForms(...bytes)).join(',')).toBe(key);
  });
});

describe('the escape key', () => {
  it('is one when nothing follows within 50 ms', async () => {
    const { clock, events, decoder } = startDecoder();
    decoder.push(Buffer.from('\x1b'));
    await clock.advance(49);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(events.map(shortForm)).toEqual(['escape']);
    decoder.push(Buffer.from('[A'));
    await clock.advance(LONG_MS);
    expect(events.map(shortForm)).toEqual(['escape', "'['", "'A'"]);
  });

  it('is not mistaken when the process did not run while the rest of a sequence arrived', async () => {
    const { clock, events } = startDecoder();
    const waiting: (() => void)[] = [];
    const decoder = createDecoder({
      clock,
      onEvent: (event) => events.push(event),
      afterInput: (callback) => waiting.push(callback),
    });
    decoder.push(Buffer.from('\x1b'));
    await clock.advance(300);
    decoder.push(Buffer.from('[A'));
    for (const callback of waiting) callback();
    expect(events.map(shortForm)).toEqual(['up']);
  });
});

describe('keys at the pace of a person', () => {
  it('A5 are events when they are read; Enter waits 10 ms for what would make it a part of a paste', async () => {
    const { clock, events, decoder } = startDecoder();
    for (const key of ['a', '漢', '\x1b[A', '\x03', '\x7f', '\x1bb']) {
      events.length = 0;
      decoder.push(Buffer.from(key));
      expect(events, JSON.stringify(key)).toHaveLength(1);
      await clock.advance(20);
    }
    events.length = 0;
    decoder.push(Buffer.from('\r'));
    await clock.advance(9);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(events.map(shortForm)).toEqual(['enter']);
  });

  it('A6 none of 300 keys is lost, doubled or another one, with 20 to 350 ms between them', async () => {
    const key = fc.constantFrom(
      ...'12345 abcxyz?',
      '\r',
      '\x1b[A',
      '\x1b[C',
      '\x7f',
      '漢',
      '👍',
      '\x1bb',
      '\x01',
    );
    const press = fc.record({ key, gapMs: fc.integer({ min: 20, max: 350 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(press, { minLength: 300, maxLength: 300, size: 'max' }), async (presses) => {
        const { clock, events, decoder } = startDecoder();
        const expected: string[] = [];
        for (const { key, gapMs } of presses) {
          decoder.push(Buffer.from(key));
          expected.push(...(await shortForms(key)));
          await clock.advance(gapMs);
        }
        expect(events.map(shortForm)).toEqual(expected);
      }),
      { numRuns: propertyRuns(5, 200) },
    );
  });
});

describe('keys that come together', () => {
  it('arrive in their order', async () => {
    expect(await shortForms('ab\x1b[A\x1bfc\r')).toEqual(["'a'", "'b'", 'up', 'alt+f', "'c'", 'enter']);
  });

  it('hostile numbers in a sequence make no key and no error', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.nat(), fc.constant(0xd800), fc.constant(99_999_999)), { maxLength: 5 }),
        fc.constantFrom('u', '~', 'A', 'R', 'Z', '$', 'c'),
        async (numbers, final) => {
          for (const event of await eventsOf(`\x1b[${numbers.join(';')}${final}`))
            if (event.kind === 'key') expect(Buffer.from(event.text ?? '').toString()).toBe(event.text ?? '');
        },
      ),
      { numRuns: propertyRuns(100, 1_000) },
    );
  });
});

describe('the same bytes', () => {
  const piece = fc.oneof(
    fc.constantFrom(...KEYS.map(([, sequence]) => sequence)),
    anyText({ maxLength: 6 }),
    fc.constantFrom('\x1b[200~', '\x1b[201~', '\x1b', '\r\n', 'a long line\r'),
  );
  const bytes = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((pieces) => Buffer.from(pieces.join(''))),
    fc.uint8Array({ maxLength: 30 }).map((array) => Buffer.from(array)),
  );

  function split(all: Buffer, cuts: readonly number[]): Buffer[] {
    const places = [...new Set(cuts.map((cut) => cut % (all.length + 1)))].sort((a, b) => a - b);
    return [0, ...places].map((from, index) => all.subarray(from, places[index] ?? all.length));
  }

  /** Text may come as keys or as a paste, which is the same to an editor. */
  async function inNormalForm(reads: readonly Buffer[]) {
    const events = await eventsOf(...reads);
    const text = events.map((event) => ('text' in event ? (event.text ?? '') : '')).join('');
    const keys = events.filter((event) => event.kind === 'key' && event.text === undefined).map(shortForm);
    // A key may be held for 10 ms, an answer never is.
    return { text, keys, replies: events.filter(({ kind }) => kind === 'reply').map(shortForm) };
  }

  it('mean the same however they are split into reads', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.array(fc.nat(), { maxLength: 12 }), async (all, cuts) => {
        expect(await inNormalForm(split(all, cuts))).toEqual(await inNormalForm([all]));
      }),
      { numRuns: propertyRuns(300, 3_000) },
    );
  });

  it('are exactly the same events where nothing is a paste by the burst rule', async () => {
    const marked = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .map((text) => `\x1b[200~${text.replaceAll('\x1b', '')}\x1b[201~`);
    const key = fc.constantFrom(...KEYS.map(([, sequence]) => sequence).filter((one) => one.length > 0));
    await fc.assert(
      fc.asyncProperty(fc.oneof(marked, key), fc.array(fc.nat(), { maxLength: 12 }), async (text, cuts) => {
        const all = Buffer.from(text);
        expect((await eventsOf(...split(all, cuts))).map(shortForm)).toEqual(
          (await eventsOf(all)).map(shortForm),
        );
      }),
      { numRuns: propertyRuns(200, 2_000) },
    );
  });
});
