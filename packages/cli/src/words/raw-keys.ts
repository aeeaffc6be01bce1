/** Keys of a terminal without a screen: one by one, for questions that one key answers, or none of them. */

const [CTRL_C, CTRL_D, ESC] = ['\x03', '\x04', '\x1b'] as const;

/**
 * Reads keys until `take` returns something for one. undefined: left with Esc, Ctrl-C or Ctrl-D, or the
 * terminal is gone. Keys that send an escape sequence mean nothing.
 */
export async function readKeys<T>(
  keyboard: NodeJS.ReadStream,
  onInterrupt: () => void,
  take: (key: string) => T | undefined,
): Promise<T | undefined> {
  keyboard.setRawMode?.(true);
  try {
    return await new Promise((resolve) => {
      const settle = (taken: T | undefined) => {
        keyboard.off('data', onData).off('end', onEnd).off('error', onEnd).pause();
        resolve(taken);
      };
      const onEnd = () => settle(undefined);
      const onData = (bytes: Buffer | string) => {
        const text = String(bytes);
        if (text === ESC) return settle(undefined);
        if (text.startsWith(ESC)) return;
        for (const key of text) {
          if (key === CTRL_C) onInterrupt();
          if (key === CTRL_C || key === CTRL_D) return settle(undefined);
          const taken = take(key);
          if (taken !== undefined) return settle(taken);
        }
      };
      keyboard.on('data', onData).on('end', onEnd).on('error', onEnd).resume();
    });
  } finally {
    keyboard.setRawMode?.(false);
  }
}

/** Time for which keys that were pressed too early are dropped. */
const DRAIN_MS = 40;

/** Drops keys typed before a question appears. */
export async function drain(keyboard: NodeJS.ReadStream): Promise<void> {
  const discard = () => undefined;
  // Raw mode, so that an unfinished line is dropped too.
  keyboard.setRawMode?.(true);
  keyboard.on('data', discard);
  keyboard.resume();
  await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
  keyboard.off('data', discard);
  keyboard.setRawMode?.(false);
  keyboard.pause();
}
