/** A figure about a view that is updated as the view grows (L10.10). */
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { View } from '../../protocol/model/view.ts';

export interface IncrementalFold<T> {
  (view: View): T;
  /** Sets the figure of this view: only appended messages are folded afterwards. */
  begin(view: View, value: T): void;
  /** The figure of this view rests on one that was set. */
  isSet(view: View): boolean;
}

/**
 * Folds a view's messages and keeps the longest version of each root. A shorter or edited version is folded
 * anew.
 */
export function createViewFold<T>(empty: T, add: (sum: T, message: ViewMessage) => T): IncrementalFold<T> {
  const known = new WeakMap<object, { length: number; value: T; isSet: boolean }>();
  const begin = (view: View, value: T, isSet = true) =>
    void known.set(view.root, { length: view.length, value, isSet });
  const isSet = (view: View): boolean => {
    const before = known.get(view.root);
    return before?.isSet === true && before.length <= view.length;
  };
  const fold = (view: View): T => {
    const before = known.get(view.root);
    if (before !== undefined && before.length <= view.length) {
      if (before.length < view.length) {
        before.value = view.slice(before.length).reduce(add, before.value);
        before.length = view.length;
      }
      return before.value;
    }
    const value = view.slice().reduce(add, empty);
    if (before === undefined) begin(view, value, false);
    return value;
  };
  return Object.assign(fold, { begin, isSet });
}
