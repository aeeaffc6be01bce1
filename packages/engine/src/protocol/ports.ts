/** Ports whose data outlives one process. Adapters for files and memory exist; others can be supplied. */

import type { Life } from './life.ts';
import type { QuerySource } from './model/model.ts';
import type { Usage, UserBlock } from './model/wire.ts';
import type { JournalBody, JournalEntry } from './session/journal.ts';

export type { Clock } from '@turnwright/base/clock.ts';

export type Appended = { readonly seq: number } | { readonly fenced: true };

export interface TakenOver {
  readonly epoch: number;
  /** `seq` of the last record. */
  readonly head: number;
  /** In order, up to the head. Decisions and results of finished submissions may be omitted or empty. */
  readonly toResume?: readonly JournalEntry[] | undefined;
}

/**
 * Stores the journal of sessions. `journalStoreChecks` of `turnwright/testing` tests an implementation.
 *
 * @example
 * ```ts
 * // In a test of your own store, which `make` creates empty.
 * const checksOf = (make: () => JournalStore) => journalStoreChecks(async () => ({ store: make() }));
 * ```
 */
export interface JournalStore {
  /**
   * Fences all earlier epochs of this session, which is created if it does not exist. `toResume`: a store
   * that scans the session here may return what a resume needs, which is then not read again.
   */
  takeOver(sessionId: string, options?: { readonly toResume?: boolean }): Promise<TakenOver>;
  /**
   * Atomic: all entries or none. Returns the `seq` of the last one, or `fenced` when a newer epoch owns the
   * session. A store may answer synchronously, or throw.
   */
  append(
    sessionId: string,
    epoch: number,
    afterSeq: number,
    entries: readonly JournalBody[],
  ): Appended | Promise<Appended>;
  /** Records from `fromSeq` on (default: all), in order. */
  read(sessionId: string, fromSeq?: number): AsyncIterable<JournalEntry>;
  /** Makes what was appended durable against power loss. */
  sync?(sessionId: string): Promise<void>;
  exists(sessionId: string): Promise<boolean>;
  close(sessionId: string): Promise<void>;
}

/** `now` interrupts the running turn, `next` joins it, `later` waits until it is over. */
export type InboxPriority = 'now' | 'next' | 'later';

/** A queued prompt. */
export interface InboxItem {
  /** 1, 2, 3 … within the session. */
  readonly n: number;
  /** Putting the same key twice results in one item. */
  readonly key: string;
  readonly priority: InboxPriority;
  readonly content: string | readonly UserBlock[];
  /** uuid that the sender gave; an item is queued once under it. */
  readonly uuid?: string;
  /** Origin of the item, if its sender gave one. */
  readonly origin?: { readonly kind: string; readonly [key: string]: unknown };
  /** The item comes from a hook, so it does not pass UserPromptSubmit hooks. */
  readonly byHook?: true;
}

/** Queued prompts of a session that another process can add to. Items are numbered in the order of `put`. */
export interface Inbox {
  /** `fresh` is false if the key was there already. */
  put(
    sessionId: string,
    item: Omit<InboxItem, 'n'>,
  ): Promise<{ readonly n: number; readonly fresh: boolean }>;
  /** Items with a number above `n`, in order. */
  after(sessionId: string, n: number): Promise<readonly InboxItem[]>;
  /** Yields after each put, and may yield without one; ends on abort. */
  wake(sessionId: string, signal: AbortSignal): AsyncIterable<void>;
}

/**
 * A place in the order of a session. Record `seq` of the journal is at (seq, 0); what the journal does not
 * hold is behind the record that was the last one then, with an `n` above 0.
 */
export interface Place {
  readonly seq: number;
  readonly n: number;
}

/** A message of a session that its journal does not hold. */
export interface Frame {
  /** One message for each place. An owner of the session counts `n` above all that earlier ones have used. */
  readonly at: Place;
  /** Plain JSON. */
  readonly data: unknown;
  /** true: kept like the journal. Otherwise it is dropped by a later `cut`, and may be lost with a server. */
  readonly isKept: boolean;
}

/** `followedMs`: for how long the session counts as followed; 0: only frames that are kept are needed. */
export type Published = { readonly followedMs: number } | { readonly fenced: true };

/** What was behind a place at one moment. */
export interface OutboxPage {
  /** Of the owner of the session. */
  readonly epoch: number;
  /** `seq` of the last record of the session, and of this page: at `head` there is no further page. */
  readonly head: number;
  readonly upto: number;
  /** In order. */
  readonly entries: readonly JournalEntry[];
  /** In order, with the owner that wrote each. None is behind a record that the page does not reach. */
  readonly frames: readonly (Frame & { readonly epoch: number })[];
}

/**
 * The stream of a session for those who follow it from elsewhere: its journal, and what is published beside
 * it. `outboxChecks` of `turnwright/testing` tests an implementation.
 */
export interface Outbox {
  /**
   * Writes frames, each place once, or nothing when another epoch owns the session. Frames that are not kept
   * are dropped where they are behind a record before `cut`.
   */
  publish(sessionId: string, epoch: number, frames: readonly Frame[], cut: number): Promise<Published>;
  /** The next page behind a place. Rejects with `session_not_found`. */
  read(sessionId: string, behind: Place): Promise<OutboxPage>;
  /** The session counts as followed for the next 30 s. */
  follow(sessionId: string): Promise<void>;
  /**
   * Yields at once, and after each record and each publish of a followed session. May yield without a reason;
   * ends on abort.
   */
  wake(sessionId: string, signal: AbortSignal): AsyncIterable<void>;
}

/** The exclusive right of a process to work on a session. */
export interface Lease {
  /** Aborted with reason `lease_lost` when another owner took the session. */
  readonly signal: AbortSignal;
  /** The same, without creating an AbortSignal. */
  readonly life?: Pick<Life, 'onAbort'>;
  release(): Promise<void>;
}

/**
 * Grants leases. `leaseStoreChecks` of `turnwright/testing` tests an implementation.
 *
 * @example
 * ```ts
 * // In a test of your own store, which `make` creates empty.
 * const checksOf = (make: () => LeaseStore) => leaseStoreChecks(async () => ({ store: make() }));
 * ```
 */
export interface LeaseStore {
  /** Throws `session_in_use` when another live owner holds it, unless `takeOver`. */
  acquire(sessionId: string, options?: { readonly takeOver?: boolean }): Promise<Lease>;
}

/** Permission for one model call; `settle` is called when the call has ended. */
export interface Permit {
  /**
   * The call is not sent: it fails as if the provider had refused it for its rate limit with this delay, ms.
   * For waits that are too long for a process.
   */
  readonly retryAfterMs?: number;
  /**
   * The call has ended: with its usage and the headers of its response, if there were any, and the delay that
   * the provider asked for, ms.
   */
  settle(usage: Usage | undefined, headers?: Readonly<Record<string, string>>, retryAfterMs?: number): void;
}

/** What an `Admission` knows of a model call. */
export interface AdmissionNeed {
  readonly model: string;
  /** As options name it: `anthropic`, `bedrock`, `local` … */
  readonly provider?: string;
  readonly sessionId: string;
  /** A person or the loop waits for the answer. */
  readonly foreground: boolean;
  /** Input tokens, estimated from the size of the request. */
  readonly tokens?: number;
}

/**
 * Admits model calls: shared by all sessions of a process (or a fleet). `admissionChecks` of
 * `turnwright/testing` tests an implementation.
 *
 * @example
 * ```ts
 * let open = 0;
 * const counting: Admission = {
 *   async acquire({ model, sessionId }) {
 *     open += 1;
 *     console.log(`${sessionId} asks ${model}, one of ${open}`);
 *     return { settle: () => void (open -= 1) };
 *   },
 * };
 * const options: Options = { engine: { admission: counting } };
 * ```
 */
export interface Admission {
  /** Resolves when the call may be sent. Rejects on abort, with the signal's reason. */
  acquire(need: AdmissionNeed, signal: AbortSignal): Promise<Permit>;
}

/** Stores bytes under a key, for example contents of changed files. `put` returns the reference for `get`. */
export interface BlobStore {
  put(key: string, bytes: Uint8Array): Promise<string>;
  /** Rejects if the key is unknown. */
  get(key: string): Promise<Uint8Array>;
}

/** Cost: every model call of a session, subagents included, passes here. */
export interface Ledger {
  /** Counts usage once per effect key. Wasted usage counts too, and is flagged. Returns its cost in USD. */
  settle(spent: {
    readonly model: string;
    readonly effectKey: string;
    readonly usage: Usage;
    readonly wasted?: boolean;
    /** The request was made by the main loop: it counts as usage of the submission. */
    readonly main: boolean;
    /** Who made the request; what it was for follows from that. */
    readonly querySource: QuerySource;
  }): number;
  totalCostUsd(): number;
}

/** Creates ids; a test makes them predictable. */
export interface Ids {
  uuid(): string;
}

/** Returns a number in [0, 1). */
export type RandomPort = () => number;
