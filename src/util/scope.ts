import { setMaxListeners } from 'node:events';
import { within } from './within.ts';

/**
 * A lifetime. What is opened in a scope ends with it: closing aborts the signal, waits for the cleanups for at
 * most `graceMs`, then abandons them. Children close with their parent.
 */
export interface Scope {
  readonly signal: AbortSignal;
  readonly closed: boolean;
  /** A scope that ends with this one, or earlier. */
  child(): Scope;
  /** Runs when the signal is aborted; at once when it is already. Returns a function that forgets it. */
  onAbort(listener: (reason: unknown) => void): () => void;
  /** Runs on close, newest first; at once when the scope is closed already. Returns a function that forgets it. */
  onClose(cleanup: () => void | Promise<void>): () => void;
  /** Aborts the signal but keeps the scope open: cleanups run on `close`. */
  abort(reason: unknown): void;
  close(reason?: unknown): Promise<void>;
}

export const CLOSE_GRACE_MS = 100;

/** What there is to wait for; a throw is the cleanup's own affair. */
function started(cleanup: () => void | Promise<void>): Promise<void> | undefined {
  try {
    return cleanup() ?? undefined;
  } catch {
    return undefined;
  }
}

export function openScope(parent?: Scope, graceMs: number = CLOSE_GRACE_MS): Scope {
  const controller = new AbortController();
  // Many children and waits listen to one signal; they take their listeners back, so many are no leak.
  setMaxListeners(0, controller.signal);
  const listeners = new Set<(reason: unknown) => void>();
  const cleanups = new Set<() => void | Promise<void>>();
  let closing: Promise<void> | undefined;

  const scope: Scope = {
    signal: controller.signal,
    get closed() {
      return closing !== undefined;
    },
    child: () => openScope(scope, graceMs),
    onAbort(listener) {
      if (controller.signal.aborted) {
        listener(controller.signal.reason);
        return () => {};
      }
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onClose(cleanup) {
      if (closing !== undefined) {
        // Too late for the close that is over: nothing may outlive its scope (L10.9).
        void Promise.allSettled([(async () => cleanup())()]);
        return () => {};
      }
      cleanups.add(cleanup);
      return () => cleanups.delete(cleanup);
    },
    abort(reason) {
      if (controller.signal.aborted) return;
      controller.abort(reason);
      for (const listener of listeners) listener(reason);
      listeners.clear();
    },
    close(reason = 'closed') {
      closing ??= (async () => {
        unlink?.();
        scope.abort(reason);
        if (cleanups.size === 0) return;
        const running = [...cleanups]
          .reverse()
          .map(started)
          .filter((work) => work !== undefined);
        cleanups.clear();
        if (running.length > 0) await within(graceMs, Promise.allSettled(running));
      })();
      return closing;
    },
  };

  let unlink: (() => void) | undefined;
  if (parent !== undefined) {
    // Not by the signal's events, which cost more than all of a scope.
    const detach = parent.onAbort(scope.abort);
    const forget = parent.onClose(() => scope.close());
    unlink = () => {
      detach();
      forget();
    };
  }
  return scope;
}
