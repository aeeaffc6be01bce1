import type { ReadFileState } from '../tools/tool.ts';

/** What a parked submission waits for, outside of any process. */
export interface Parking {
  /** `ask`: at least one question is open. `time`: nothing is waited for but `wakeAt`. */
  readonly on: 'ask' | 'time';
  /** The open questions. */
  readonly askIds: readonly string[];
  /** When the first of the waits for a time is over, in ms since 1970. Absent: there is none. */
  readonly wakeAt?: number;
  /** Why there is nothing to do before `wakeAt`, where neither a tool nor the server asked for the wait. */
  readonly why?: string;
}

/** A wait that ends the run of its submission: for an answer, or until a time in ms since 1970. */
export type Wait =
  | { readonly on: 'ask'; readonly askId: string }
  /** `toolUseId`: of the call that sleeps; absent: the model's answer has to be waited for. */
  | {
      readonly on: 'time';
      readonly wakeAt: number;
      readonly toolUseId?: string;
      readonly why?: string | undefined;
    };

/** A parked submission, with what the next run needs besides the records of its conversation. */
export interface ParkedRun extends Parking {
  /** What the calls that have ended left for the end of their turn. Absent: nothing. */
  readonly collected?: CollectedOfCalls;
  /** When the sleep of a call is over, by the id of the call. Absent: none sleeps. */
  readonly sleeps?: Readonly<Record<string, number>>;
}

/** State of the session that the next run goes on with. */
export interface StateWhenParked {
  readonly permissionMode: string;
  /** Files that the session has read, by path; those that were read last. */
  readonly filesRead?: Readonly<Record<string, ReadFileState>>;
}

/** What results bring besides their messages. */
export interface CollectedOfCalls {
  /** Context for the model from hooks around the calls. */
  readonly hookContext: readonly string[];
  /** A tool declared its result to be the end of the work. */
  readonly endsTurn: boolean;
  /** A PostToolUse hook returned `continue: false`. */
  readonly preventContinuation?: { readonly stopReason: string; readonly hookName?: string } | undefined;
}

/** Decides when a wait ends its run. */
export interface ParkingPort {
  /** Resolves with true once the wait that begins now has become too long; with false on abort. */
  due(signal: AbortSignal): Promise<boolean>;
  /** Whether a wait of this length is too long; the run must then not begin it. */
  readonly isTooLong: (ms: number) => boolean;
}

/**
 * Thrown by a tool that would have to wait for longer than its run may: the call gets no result, and the next
 * run makes it again. Only for tools that may run again.
 */
export class CallParked extends Error {
  override readonly name = 'CallParked';
  readonly wait: Wait;

  constructor(wait: Wait) {
    super('The call waits for longer than its run may.');
    this.wait = wait;
  }
}
