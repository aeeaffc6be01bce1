import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import type { ViewEdit } from '../../src/protocol/model/view.ts';
import { applyEdits } from '../../src/view/edits.ts';

const message = (uuid: string, text = uuid): ViewMessage => ({
  type: 'user',
  uuid,
  timestamp: '2026-01-01T00:00:00.000Z',
  message: { role: 'user', content: text },
});
const items = (...uuids: string[]): ViewMessage[] => uuids.map((uuid) => message(uuid));
const list = PersistentList.from(items('a', 'b', 'c', 'd'));
const edited = (...edits: ViewEdit[]) =>
  applyEdits(list, edits)
    .slice()
    .map((each) => (each.type === 'user' ? each.message.content : ''));

describe('applyEdits', () => {
  it('gives the list itself back when there is nothing to do', () => {
    expect(applyEdits(list, [])).toBe(list);
  });

  it('replaces, removes, splices and resets, and leaves the original alone', () => {
    expect(edited({ kind: 'replace', uuid: 'b', item: message('b', 'B') })).toEqual(['a', 'B', 'c', 'd']);
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
    const replaced: ViewEdit = { kind: 'replace', uuid: 'x', item: message('x', 'X') };
    const spliced: ViewEdit = { kind: 'splice', uuids: ['b'], items: items('x') };
    expect(edited(spliced, replaced)).toEqual(['a', 'X', 'c', 'd']);
    expect(edited(replaced, spliced)).toEqual(['a', 'x', 'c', 'd']);
  });

  it('passes over what is not there', () => {
    expect(edited({ kind: 'replace', uuid: 'z', item: message('z') })).toEqual(['a', 'b', 'c', 'd']);
    expect(edited({ kind: 'remove', uuids: ['z'] })).toEqual(['a', 'b', 'c', 'd']);
    expect(edited({ kind: 'splice', uuids: ['z'], items: items('x') })).toEqual(['a', 'b', 'c', 'd']);
    expect(edited({ kind: 'reset', head: [], keep: ['z', 'a'], tail: [] })).toEqual(['a']);
  });

  it('has a root of its own, so nothing derived from the old list is taken for the new one', () => {
    expect(applyEdits(list, [{ kind: 'remove', uuids: ['z'] }]).root).not.toBe(list.root);
  });

  it('changes nothing more when the same edit is replayed', () => {
    const known = fc.constantFrom('a', 'b', 'c', 'd', 'z');
    const fresh = fc.uniqueArray(fc.constantFrom('x', 'y'), { maxLength: 2 }).map((uuids) => items(...uuids));
    const edits: fc.Arbitrary<ViewEdit> = fc.oneof(
      known.map((uuid) => ({ kind: 'replace' as const, uuid, item: message(uuid, `${uuid}!`) })),
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
        const once = applyEdits(list, [edit]);
        expect(applyEdits(once, [edit]).slice()).toEqual(once.slice());
      }),
    );
  });
});
