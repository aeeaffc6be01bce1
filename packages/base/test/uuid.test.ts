import { expect, test } from 'vitest';
import { uuid } from '../src/ids/hash-and-uuid.ts';

test('a UUID is of version 4, and none comes twice', () => {
  const made = Array.from({ length: 1000 }, uuid);
  expect(new Set(made).size).toBe(1000);
  for (const id of made)
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});
