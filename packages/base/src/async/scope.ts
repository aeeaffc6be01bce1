import { setMaxListeners } from 'node:events';
import { within } from './promises.ts';

/**
 * A lifetime. What is opened in a scope ends with it: closing aborts the signal, waits for the cleanups for
 * at most `graceMs`, then abandons them. Children close with their parent.
 */
export interface Scope {
  /** Created on first access. */
  readonly signal: AbortSignal;
  /** Same as `signal.aborted`, without creating the signal. */
  readonly aborted: boolean;
  readonly closed: boolean;
  /** A scope that ends with this one, or earlier. */
  child(): Scope;
  /** Runs when the signal is aborted, or immediately if it is. Returns a function that removes it. */
  onAbort(listener: (reason: unknown) => void): () => void;
  /**
   * Runs on close, newest first, or immediately if the scope is closed. Returns a function that removes it.
   */
  onClose(cleanup: () => void | Promise<void>): () => void;
  /** Aborts the signal but keeps the scope open: cleanups run on `close`. */
  abort(reason: unknown): void;
  close(reason?: unknown): Promise<void>;
}

const CLOSE_GRACE_MS = 100;

export function openScope(parent?: Scope, graceMs: number = CLOSE_GRACE_MS): Scope {
  // OpenScope is the only implementation.
  return new OpenScope(parent as OpenScope | undefined, graceMs);
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
  readonly #parent: OpenScope | undefined;
  /** Children that are open. */
  #children: Set<OpenScope> | undefined;
  #closing: Promise<void> | undefined;

  constructor(parent: OpenScope | undefined, graceMs: number) {
    this.#graceMs = graceMs;
    this.#parent = parent;
    if (parent === undefined) return;
    parent.#children ??= new Set();
    parent.#children.add(this);
    if (parent.aborted) this.abort(parent.#reason);
    if (parent.closed) void this.close();
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Many children and waits listen to one signal and remove their listeners: many are not a leak.
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
      // The scope is closed already: nothing may outlive it (L10.9).
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
    // Not by the signal's events, which are more expensive than the rest of a scope.
    if (this.#children !== undefined) for (const child of this.#children) child.abort(reason);
    const listeners = this.#listeners;
    if (listeners === undefined) return;
    for (const listener of listeners) listener(reason);
    listeners.clear();
  }

  close(reason: unknown = 'closed'): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  /** Errors of a cleanup are ignored. */
  #close(reason: unknown): Promise<void> {
    if (this.#parent !== undefined) this.#parent.#children?.delete(this);
    this.abort(reason);
    const running: Promise<void>[] = [];
    for (const child of [...(this.#children ?? [])].reverse()) running.push(child.close());
    const cleanups = [...(this.#cleanups ?? [])];
    this.#cleanups = undefined;
    this.#closing = DONE; // what is opened from here on is too late
    for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
      try {
        const work = cleanup();
        if (work !== undefined) running.push(work);
      } catch {}
    }
    return running.length === 0 ? DONE : within(this.#graceMs, Promise.allSettled(running));
  }
}

const DONE = Promise.resolve();

function nothing(): void {}
