import { PersistentList } from './persistent-list.ts';

type Keyed = { readonly uuid: string };

/** A change to a list of keyed items. Unknown uuids are passed over, so replaying an edit twice changes nothing more. */
export type ListEdit<T extends Keyed> =
  | { readonly kind: 'replace'; readonly uuid: string; readonly item: T }
  | { readonly kind: 'remove'; readonly uuids: readonly string[] }
  | { readonly kind: 'splice'; readonly uuids: readonly string[]; readonly items: readonly T[] }
  | {
      readonly kind: 'reset';
      readonly head: readonly T[];
      readonly keep: readonly string[];
      readonly tail: readonly T[];
    };

/** Applies edits in order; the result has a root of its own. Without edits the list itself comes back. */
export function editList<T extends Keyed>(
  list: PersistentList<T>,
  edits: readonly ListEdit<T>[],
): PersistentList<T> {
  if (edits.length === 0) return list;
  let items = list.slice();
  for (const edit of edits) items = applyEdit(items, edit);
  return PersistentList.from(items);
}

function applyEdit<T extends Keyed>(items: T[], edit: ListEdit<T>): T[] {
  switch (edit.kind) {
    case 'replace':
      return items.map((item) => (item.uuid === edit.uuid ? edit.item : item));
    case 'remove': {
      const gone = new Set(edit.uuids);
      return items.filter((item) => !gone.has(item.uuid));
    }
    case 'splice': {
      const gone = new Set(edit.uuids);
      const at = items.findIndex((item) => gone.has(item.uuid));
      if (at < 0) return items;
      const before = items.slice(0, at);
      const after = items.slice(at).filter((item) => !gone.has(item.uuid));
      return [...before, ...edit.items, ...after];
    }
    case 'reset': {
      const keep = new Set(edit.keep);
      return [...edit.head, ...items.filter((item) => keep.has(item.uuid)), ...edit.tail];
    }
  }
}
