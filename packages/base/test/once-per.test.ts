import { expect, test } from 'vitest';
import { oncePer } from '../src/collections/made-once.ts';

test('one value for each object, made when it is first asked for', () => {
  const made: object[] = [];
  const sizeOf = oncePer((list: readonly string[]) => {
    made.push(list);
    return list.length;
  });
  const [one, two] = [['a'], ['a']];
  expect([sizeOf(one), sizeOf(one), sizeOf(two)]).toEqual([1, 1, 1]);
  expect(made).toEqual([one, two]);
});

test('a value that could not be made is tried again', () => {
  let fails = true;
  const parsed = oncePer((text: { readonly json: string }) => {
    if (fails) throw new Error('not now');
    return JSON.parse(text.json) as object;
  });
  const text = { json: '[1]' };
  expect(() => parsed(text)).toThrow('not now');
  fails = false;
  expect(parsed(text)).toEqual([1]);
});
