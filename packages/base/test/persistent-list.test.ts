import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PersistentList } from '../src/collections/persistent-list.ts';

describe('PersistentList', () => {
  it('appends without changing earlier versions, and shares their root', () => {
    const one = PersistentList.from([1]);
    const two = one.append([2, 3]);
    expect([...one]).toEqual([1]);
    expect([...two]).toEqual([1, 2, 3]);
    expect(two.root).toBe(one.root);
    expect(two.append([])).toBe(two);
  });

  it('branches when a shorter version grows: the other branch keeps what it has', () => {
    const base = PersistentList.from(['a']);
    const left = base.append(['left']);
    const right = base.append(['right']);
    expect([[...left], [...right]]).toEqual([
      ['a', 'left'],
      ['a', 'right'],
    ]);
    expect(right.root).not.toBe(left.root);
  });

  it('takes up what another holder appended already, and shares it', () => {
    const base = PersistentList.from([{ id: 1 }]);
    const theirs = base.append([{ id: 2 }, { id: 3 }, { id: 4 }]);
    const isSame = (one: { id: number }, other: { id: number }) => one.id === other.id;
    const ours = base.append([{ id: 2 }, { id: 3 }], isSame);
    expect([ours.length, ours.root, ours.at(-1)]).toEqual([3, base.root, theirs.at(2)]);
    expect(ours.at(-1)).toBe(theirs.at(2));
    expect(base.append([{ id: 2 }, { id: 5 }], isSame).root).not.toBe(base.root);
    expect(theirs.append([{ id: 2 }], isSame).length).toBe(5);
  });

  it('is not touched by what it was made from, nor by what it hands out', () => {
    const given = [1, 2];
    const list = PersistentList.from(given);
    given.push(3);
    list.slice().push(4);
    expect([...list]).toEqual([1, 2]);
  });

  it('reads from both ends of its own length, however far the shared array goes on', () => {
    const short = PersistentList.from([1, 2, 3]);
    short.append([4, 5]);
    expect([short.at(0), short.at(-1), short.at(3), short.at(-4)]).toEqual([1, 3, undefined, undefined]);
    expect([short.slice(1), short.slice(-2), short.slice(-9), short.slice(9)]).toEqual([
      [2, 3],
      [2, 3],
      [1, 2, 3],
      [],
    ]);
  });

  it('behaves as a copied array would, through any appends to any version', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.array(fc.integer(), { maxLength: 4 }))), (steps) => {
        const versions: { list: PersistentList<number>; plain: number[] }[] = [
          { list: PersistentList.from([]), plain: [] },
        ];
        for (const [pick, items] of steps) {
          const { list, plain } = versions[pick % versions.length]!;
          versions.push({ list: list.append(items), plain: [...plain, ...items] });
        }
        for (const { list, plain } of versions) {
          expect([...list]).toEqual(plain);
          expect(list.length).toBe(plain.length);
          expect(list.slice(1)).toEqual(plain.slice(1));
          expect(list.at(-1)).toBe(plain.at(-1));
        }
      }),
    );
  });
});
