import fc from 'fast-check';

const SURROGATES = 0x800;

/** Each code point but halves of surrogate pairs, as in the unit `binary` of fast-check. */
const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((at) => String.fromCodePoint(at < 0xd800 ? at : at + SURROGATES));

/**
 * Text of any characters. fast-check's `fc.string({ unit: 'binary' })` builds a table of all code points first, which
 * takes a second and 100 MB in each worker; its list of dangerous strings comes from the small unit here.
 */
export const anyText = (length: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 9, arbitrary: fc.string({ ...length, unit: codePoint }) },
    { weight: 1, arbitrary: fc.string({ ...length, unit: 'binary-ascii' }) },
  );
