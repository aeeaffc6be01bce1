import { plainJson } from '@turnwright/base/files/plain-json.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withKey } from '../../src/settings/write/edit-json.ts';

describe('plainJson', () => {
  it.each([
    ['{ "a": 1 } // end', { a: 1 }],
    ['\uFEFF{\n/* "b": {\n}, */\n"a": [1, 2,],\n}', { a: [1, 2] }],
    ['{"a": "/* no */ // no", "b": "x\\", // no",}', { a: '/* no */ // no', b: 'x", // no' }],
    ['{"a": ",]", "b": "\\\\"}', { a: ',]', b: '\\' }],
  ])('of %j is JSON of the same length', (text, value) => {
    const plain = plainJson(text);
    expect(plain).toHaveLength(text.length);
    expect(JSON.parse(plain)).toEqual(value);
  });

  it.each(['{"a": 1,, }', '{ /* }', '{"a": 1 / 2}'])('does not mend %j', (text) => {
    expect(() => JSON.parse(plainJson(text))).toThrow(SyntaxError);
  });

  it('changes nothing of JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(plainJson(text)).toBe(text);
      }),
    );
  });
});

describe('withKey leaves everything else as it stands', () => {
  it.each([
    ['{}', '{\n  "a": [\n    1\n  ]\n}'],
    ['{"b":1.0}', '{"b":1.0,"a":[1]}'],
    ['{\n    "b": 1e3\n}\n', '{\n    "b": 1e3,\n    "a": [\n        1\n    ]\n}\n'],
    ['{\n\t"a": {"x": "}"}, "b": "\\"a\\": 1"\n}', '{\n\t"a": [\n\t\t1\n\t], "b": "\\"a\\": 1"\n}'],
    ['{\r\n  "a": null\r\n}\r\n', '{\r\n  "a": [\r\n    1\r\n  ]\r\n}\r\n'],
    ['\uFEFF{ "a": 1, "a": 2 }', '\uFEFF{ "a": 1, "a": [1] }'],
    ['{"a":"x"}', '{"a":[1]}'],
    [
      '{\n  // "a": 2,\n  "b": "//" // no\n}\n',
      '{\n  // "a": 2,\n  "b": "//",\n  "a": [\n    1\n  ] // no\n}\n',
    ],
    ['{\n  // "a": 2,\n}\n', '{\n  // "a": 2,\n  "a": [\n    1\n  ]\n}\n'],
    ['{\n  /* } */ "a": 2,\n}\n', '{\n  /* } */ "a": [\n    1\n  ],\n}\n'],
  ])('%j', (before, after) => {
    expect(withKey(before, 'a', [1])).toBe(after);
  });

  const commented = `{
  "sandbox": {
    // "hooks": why not
    "enabled": false, // for now
    "network": { "allowedDomains": ["a.example"] }
  },
  "theme": "dark"
}
`;
  it.each([
    [{ enabled: true, network: { allowedDomains: ['a.example'] } }, commented.replace('false', 'true')],
    [
      { enabled: false, network: { allowedDomains: ['a.example'], strictAllowlist: true } },
      commented.replace('["a.example"]', '["a.example"], "strictAllowlist": true'),
    ],
    [
      { enabled: false, network: { allowedDomains: ['a.example'] }, hooks: true },
      commented.replace('] }\n', '] },\n    "hooks": true\n'),
    ],
    [
      { enabled: false },
      commented.replace(', // for now\n    "network": { "allowedDomains": ["a.example"] }', ' // for now'),
    ],
  ])('within an object too: %j', (value, after) => {
    expect(withKey(commented, 'sandbox', value)).toBe(after);
  });

  it.each([
    ['theme', commented.replace(',\n  "theme": "dark"', '')],
    ['sandbox', '{\n  "theme": "dark"\n}\n'],
    ['absent', commented],
  ])('takes %s out', (key, after) => {
    expect(withKey(commented, key, undefined)).toBe(after);
  });

  it('takes out the only one, whatever commas there are', () => {
    expect(JSON.parse(plainJson(withKey('{ "a": 1, }', 'a', undefined)))).toEqual({});
    expect(JSON.parse(plainJson(withKey('{"a":1,"b":2,"a":3}', 'a', undefined)))).toEqual({ b: 2 });
  });

  it('whatever the file holds, it then holds the key and all it held before', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.string(),
        fc.jsonValue(),
        fc.constantFrom(undefined, 2, '\t'),
        (held, key, value, indent) => {
          fc.pre(!('__proto__' in Object.assign(Object.create(null), held)) && key !== '__proto__');
          const text = JSON.stringify(held, null, indent);
          const expected = JSON.parse(JSON.stringify({ ...held, [key]: value }));
          expect(JSON.parse(withKey(text, key, value))).toEqual(expected);
          const { [key]: _, ...rest } = held;
          const without = withKey(withKey(text, key, value), key, undefined);
          expect(JSON.parse(without)).toEqual(JSON.parse(JSON.stringify(rest)));
        },
      ),
    );
  });
});
