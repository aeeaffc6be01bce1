/** Prompts on their way from the reader of stdin to the query. */
import type { SDKUserMessage } from '../../index.ts';

export interface PromptLine extends AsyncIterable<SDKUserMessage> {
  push(prompt: SDKUserMessage): void;
  end(): void;
}

export function createPromptLine(): PromptLine {
  const waiting: SDKUserMessage[] = [];
  let ended = false;
  let wake = () => {};
  return {
    push(prompt) {
      waiting.push(prompt);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
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
