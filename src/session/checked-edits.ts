import type { ViewEdit } from '../protocol/view.ts';

/** Edits as a record holds them. Throws TypeError when one has not the shape of an edit. */
export function checkedEdits(edits: readonly ViewEdit[]): readonly ViewEdit[] {
  for (const edit of listOf(edits)) {
    switch (edit.kind) {
      case 'replace':
        if (typeof edit.uuid !== 'string' || typeof edit.item?.uuid !== 'string')
          throw new TypeError('a replacement of nothing');
        break;
      case 'remove':
        listOf(edit.uuids);
        break;
      case 'splice':
        listOf(edit.uuids);
        listOf(edit.items);
        break;
      case 'reset':
        for (const part of [edit.head, edit.keep, edit.tail]) listOf<unknown>(part);
        break;
      default:
        throw new TypeError('an edit of an unknown kind');
    }
  }
  return edits;
}

/** The list itself. Throws TypeError when a damaged record holds something else in its place. */
export function listOf<T>(value: readonly T[]): readonly T[] {
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value;
}
