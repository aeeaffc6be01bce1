/** Whether the consumer has received the progress of a call. */
import type { ToolProgress } from '../protocol/tools/tool.ts';

interface Handover {
  /** Returns the progress with a receipt. */
  watch(progress: ToolProgress): ToolProgress;
  /** Resolves when the consumer has received everything, or never will. */
  done(): Promise<void>;
  /** Stops waiting. */
  giveUp(): void;
}

export function createHandover(): Handover {
  let last = Promise.resolve();
  let release = () => {};
  let isGivenUp = false;
  return {
    watch(progress) {
      let onTaken = () => {};
      last = new Promise((resolve) => (onTaken = resolve));
      release = onTaken;
      return {
        ...progress,
        taken() {
          progress.taken?.();
          onTaken();
        },
      };
    },
    async done() {
      if (!isGivenUp) await last;
    },
    giveUp() {
      isGivenUp = true;
      release();
    },
  };
}
