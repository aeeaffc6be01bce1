/** Heartbeats of a call that reports no progress. */

import type { Life } from '../protocol/life.ts';
import type { Clock } from '../protocol/ports.ts';
import type { ToolProgress } from '../protocol/tools/tool.ts';

/** Progress without content: the call still runs. */
const HEARTBEAT: ToolProgress = { type: 'heartbeat' };
const EVERY_MS = 30_000;

/**
 * Runs work that may report progress; for each half minute without any, `onProgress` receives a heartbeat.
 */
export async function withHeartbeat<T>(
  work: (onProgress: (progress: ToolProgress) => void) => Promise<T>,
  onProgress: (progress: ToolProgress) => void,
  { clock, life }: { readonly clock: Clock; readonly life: Pick<Life, 'onAbort'> },
): Promise<T> {
  let quiet = true;
  let cancel = () => {};
  const beat = () => {
    if (quiet) onProgress(HEARTBEAT);
    quiet = true;
    cancel = clock.timer(EVERY_MS, beat);
  };
  cancel = clock.timer(EVERY_MS, beat);
  // Work that ignores its signal is abandoned, and its heartbeat ends.
  const forget = life.onAbort(() => cancel());
  try {
    return await work((progress) => {
      quiet = false;
      onProgress(progress);
    });
  } finally {
    cancel();
    forget();
  }
}
