/** Cutting a text into what a person takes for characters. */

import { anyText } from '@turnwright/test/any-text.ts';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { graphemes } from '../../src/text/graphemes.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

it('gives what the segmenter gives for the whole text, however long it is', () => {
  const unit = fc.oneof(
    fc.constantFrom(
      '👨‍👩‍👧',
      '👍🏽',
      '🇩🇪',
      '🇩',
      '\u0301',
      '\u200d',
      'नि',
      '한',
      '\r\n',
      'e\u0301',
      '漢',
      'x',
      '\ud83d',
    ),
    anyText({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 400, size: 'max' }), (units) => {
      const text = units.join('');
      expect([...graphemes(text)]).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment));
    }),
    { numRuns: propertyRuns(60, 1_000) },
  );
});

it('goes on where one character is longer than a piece', () => {
  const marks = `a${'\u0301'.repeat(2_000)}`;
  expect([...graphemes(`${marks}b${marks}`)]).toEqual([marks, 'b', marks]);
});
