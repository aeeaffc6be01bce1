import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { countedIds } from '../src/ids/counted-ids.ts';

it('gives UUIDs that differ, among themselves and from those of another', () => {
  const one = countedIds(randomUUID);
  const other = countedIds(randomUUID);
  const ids = Array.from({ length: 1000 }, () => [one(), other()]).flat();
  expect(new Set(ids).size).toBe(2000);
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
