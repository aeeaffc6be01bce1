import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoTime } from '../src/text/figures-and-times.ts';

it('writes what a date writes, whatever was asked before', () => {
  const ms = fc.oneof(fc.integer({ min: -62_167_219_200_000, max: 8_640_000_000_000_000 }), fc.nat(5_000));
  fc.assert(
    fc.property(ms, (at) => {
      expect(isoTime(at)).toBe(new Date(at).toISOString());
    }),
  );
  expect(isoTime(1_500.9)).toBe('1970-01-01T00:00:01.500Z');
});
