import { expect, it } from 'vitest';
import { continued } from '../../src/util/async/continued.ts';

async function* count(from: number, to: number, seen: string[] = []): AsyncGenerator<number, number, void> {
  try {
    for (let n = from; n <= to; n++) yield n;
    return to;
  } finally {
    seen.push(`${from} ended`);
  }
}

it('goes on with what follows, until a result', async () => {
  const outputs = continued(count(1, 2), (last) =>
    last < 4 ? { kind: 'goes_on', with: count(last + 1, last + 1) } : { kind: 'ends', result: last * 10 },
  );
  const seen: number[] = [];
  let step = await outputs.next();
  for (; step.done !== true; step = await outputs.next()) seen.push(step.value);
  expect([...seen, step.value]).toEqual([1, 2, 3, 4, 40]);
  expect(await outputs.next()).toMatchObject({ done: true });
});

it('what is returned from outside is not continued, and an error of the generator comes out', async () => {
  const seen: string[] = [];
  const left = continued(count(1, 5, seen), () => ({ kind: 'goes_on', with: count(9, 9, seen) }));
  await left.next();
  expect(await left.return(7)).toEqual({ done: true, value: 7 });
  expect(await left.next()).toMatchObject({ done: true });
  const thrown = continued(count(1, 5, seen), () => ({ kind: 'ends', result: 0 }));
  await thrown.next();
  await expect(thrown.throw(new Error('why'))).rejects.toThrow('why');
  expect(seen).toEqual(['1 ended', '1 ended']);
});
