/** Prompts between the reader of stdin and the query. */
import type { SDKUserMessage } from '@turnwright/engine';

interface PromptLine extends AsyncIterable<SDKUserMessage> {
  push(prompt: SDKUserMessage): void;
  /** Nothing is passed on before this has settled. */
  holdUntil(settled: Promise<unknown>): void;
  end(): void;
}

export function createPromptLine(): PromptLine {
  const waiting: SDKUserMessage[] = [];
  let ended = false;
  let wake = () => {};
  let held: Promise<unknown> | undefined;
  return {
    push(prompt) {
      waiting.push(prompt);
      wake();
    },
    holdUntil(settled) {
      held = settled;
    },
    end() {
      ended = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
        await held;
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (ended) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
