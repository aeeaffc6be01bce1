/** A figure about a view that grows with it: what is new is added to what was known (L10.10). */
import type { ViewMessage } from '../../protocol/messages.ts';
import type { View } from '../../protocol/view.ts';

export interface ViewFold<T> {
  (view: View): T;
  /** What this view comes to is known: only what is appended to it will be looked at. */
  begin(view: View, value: T): void;
}

/**
 * Folds a view's messages, remembering the longest version of each root. A shorter version, or one that was edited,
 * is folded afresh.
 */
export function createViewFold<T>(empty: T, add: (sum: T, message: ViewMessage) => T): ViewFold<T> {
  const known = new WeakMap<object, { length: number; value: T }>();
  const begin = (view: View, value: T) => void known.set(view.root, { length: view.length, value });
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
    if (before === undefined) begin(view, value);
    return value;
  };
  return Object.assign(fold, { begin });
}
