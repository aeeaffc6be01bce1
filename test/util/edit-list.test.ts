import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editList, type ListEdit } from '../../src/util/edit-list.ts';
import { PersistentList } from '../../src/util/persistent-list.ts';

interface Item {
  readonly uuid: string;
  readonly text?: string;
}
const items = (...uuids: string[]): Item[] => uuids.map((uuid) => ({ uuid }));
const list = PersistentList.from(items('a', 'b', 'c', 'd'));
const edited = (...edits: ListEdit<Item>[]) =>
  editList(list, edits)
    .slice()
    .map((item) => item.text ?? item.uuid);

describe('editList', () => {
  it('gives the list itself back when there is nothing to do', () => {
    expect(editList(list, [])).toBe(list);
  });

  it('replaces, removes, splices and resets, and leaves the original alone', () => {
    expect(edited({ kind: 'replace', uuid: 'b', item: { uuid: 'b', text: 'B' } })).toEqual([
      'a',
      'B',
      'c',
      'd',
    ]);
    expect(edited({ kind: 'remove', uuids: ['a', 'd'] })).toEqual(['b', 'c']);
    expect(edited({ kind: 'splice', uuids: ['b', 'c'], items: items('x') })).toEqual(['a', 'x', 'd']);
    expect(edited({ kind: 'splice', uuids: ['a', 'c'], items: items('x') })).toEqual(['x', 'b', 'd']);
    expect(edited({ kind: 'reset', head: items('h'), keep: ['d', 'b'], tail: items('t') })).toEqual([
      'h',
      'b',
      'd',
      't',
    ]);
    expect(list.slice()).toEqual(items('a', 'b', 'c', 'd'));
  });

  it('applies edits in order', () => {
    const replaced: ListEdit<Item> = { kind: 'replace', uuid: 'x', item: { uuid: 'x', text: 'X' } };
    const spliced: ListEdit<Item> = { kind: 'splice', uuids: ['b'], items: items('x') };
    expect(edited(spliced, replaced)).toEqual(['a', 'X', 'c', 'd']);
    expect(edited(replaced, spliced)).toEqual(['a', 'x', 'c', 'd']);
  });

  it('passes over what is not there', () => {
    expect(edited({ kind: 'replace', uuid: 'z', item: { uuid: 'z' } })).toEqual(['a', 'b', 'c', 'd']);
    expect(edited({ kind: 'remove', uuids: ['z'] })).toEqual(['a', 'b', 'c', 'd']);
    expect(edited({ kind: 'splice', uuids: ['z'], items: items('x') })).toEqual(['a', 'b', 'c', 'd']);
    expect(edited({ kind: 'reset', head: [], keep: ['z', 'a'], tail: [] })).toEqual(['a']);
  });

  it('has a root of its own, so nothing derived from the old list is taken for the new one', () => {
    expect(editList(list, [{ kind: 'remove', uuids: ['z'] }]).root).not.toBe(list.root);
  });

  it('changes nothing more when the same edit is replayed', () => {
    const known = fc.constantFrom('a', 'b', 'c', 'd', 'z');
    const fresh = fc.uniqueArray(fc.constantFrom('x', 'y'), { maxLength: 2 }).map((uuids) => items(...uuids));
    const edits: fc.Arbitrary<ListEdit<Item>> = fc.oneof(
      known.map((uuid) => ({ kind: 'replace' as const, uuid, item: { uuid, text: `${uuid}!` } })),
      fc.array(known).map((uuids) => ({ kind: 'remove' as const, uuids })),
      fc
        .tuple(fc.array(known), fresh)
        .map(([uuids, added]) => ({ kind: 'splice' as const, uuids, items: added })),
      fc
        .tuple(fresh, fc.array(known))
        .map(([head, keep]) => ({ kind: 'reset' as const, head, keep, tail: [] })),
    );
    fc.assert(
      fc.property(edits, (edit) => {
        const once = editList(list, [edit]);
        expect(editList(once, [edit]).slice()).toEqual(once.slice());
      }),
    );
  });
});
