/** Whether the consumer has what a call has shown of its progress. */
import type { ToolProgress } from '../protocol/tool.ts';

export interface Handover {
  /** The same progress, watched. */
  watch(progress: ToolProgress): ToolProgress;
  /** Resolves when the consumer has all that is watched, or never will. */
  done(): Promise<void>;
  /** It is not waited for any more. */
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
