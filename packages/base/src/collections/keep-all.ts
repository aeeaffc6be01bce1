/**
 * What an iterator yields, kept, so that it can be gone through again: fetched as far as it was needed, and
 * each item once.
 */
export function keepAll<T>(items: Iterable<T>): Iterable<T> {
  const kept: T[] = [];
  const rest = items[Symbol.iterator]();
  return {
    *[Symbol.iterator]() {
      for (let at = 0; ; at++) {
        if (at === kept.length) {
          const { done, value } = rest.next();
          if (done === true) return;
          kept.push(value);
        }
        yield kept[at] as T;
      }
    },
  };
}
