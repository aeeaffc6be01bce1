import { setMaxListeners } from 'node:events';
import { within } from './within.ts';

/**
 * A lifetime. What is opened in a scope ends with it: closing aborts the signal, waits for the cleanups for at
 * most `graceMs`, then abandons them. Children close with their parent.
 */
export interface Scope {
  /** Made when it is first asked for. */
  readonly signal: AbortSignal;
  /** As the signal says, for those who ask often. */
  readonly aborted: boolean;
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
  return new OpenScope(parent, graceMs);
}

type Listener = (reason: unknown) => void;
type Cleanup = () => void | Promise<void>;

class OpenScope implements Scope {
  aborted = false;
  #reason: unknown;
  #controller: AbortController | undefined;
  readonly #graceMs: number;
  #listeners: Set<Listener> | undefined;
  #cleanups: Set<Cleanup> | undefined;
  #unlink: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(parent: Scope | undefined, graceMs: number) {
    this.#graceMs = graceMs;
    if (parent === undefined) return;
    // Not by the signal's events, which cost more than all of a scope.
    const detach = parent.onAbort((reason) => this.abort(reason));
    const forget = parent.onClose(() => this.close());
    this.#unlink = () => {
      detach();
      forget();
    };
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Many children and waits listen to one signal; they take their listeners back, so many are no leak.
      setMaxListeners(0, this.#controller.signal);
      if (this.aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }

  child(): Scope {
    return new OpenScope(this, this.#graceMs);
  }

  onAbort(listener: Listener): () => void {
    if (this.aborted) {
      listener(this.#reason);
      return nothing;
    }
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  onClose(cleanup: Cleanup): () => void {
    if (this.#closing !== undefined) {
      // Too late for the close that is over: nothing may outlive its scope (L10.9).
      void Promise.allSettled([(async () => cleanup())()]);
      return nothing;
    }
    this.#cleanups ??= new Set();
    this.#cleanups.add(cleanup);
    return () => this.#cleanups?.delete(cleanup);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const listeners = this.#listeners;
    if (listeners === undefined) return;
    for (const listener of listeners) listener(reason);
    listeners.clear();
  }

  close(reason: unknown = 'closed'): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  async #close(reason: unknown): Promise<void> {
    this.#unlink?.();
    this.abort(reason);
    const running = [...(this.#cleanups ?? [])]
      .reverse()
      .map(started)
      .filter((work) => work !== undefined);
    this.#cleanups = undefined;
    if (running.length > 0) await within(this.#graceMs, Promise.allSettled(running));
  }
}

function nothing(): void {}
