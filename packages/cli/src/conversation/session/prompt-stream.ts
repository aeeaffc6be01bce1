/** An async iterable that is fed by calls. */

interface PromptStream<T> extends AsyncIterable<T> {
  /** Ignored once the stream has ended. */
  push(value: T): void;
  end(): void;
}

export function createPromptStream<T>(): PromptStream<T> {
  const waiting: T[] = [];
  let isOver = false;
  let wake = () => {};
  return {
    push(value) {
      if (!isOver) waiting.push(value);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
        if (isOver) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
