/** Input of Bash, and its configuration by a session. */
import type { Clock } from '../../../protocol/ports.ts';

export interface BashInput {
  readonly command: string;
  readonly timeout?: number;
  readonly description?: string;
  readonly run_in_background?: boolean;
  /** Requests to run outside of the sandbox, if the rules allow it. No effect without a sandbox. */
  readonly dangerouslyDisableSandbox?: boolean;
}

export interface BashOptions {
  /** Default time limit, ms. Default 120,000. */
  readonly defaultTimeoutMs?: number | undefined;
  /** Maximum time limit, ms; longer ones are lowered to it. Default 600,000. */
  readonly maxTimeoutMs?: number | undefined;
  /** Offers `run_in_background`, in sessions with tasks. Default true. */
  readonly background?: boolean | undefined;
  /** Default lifetime in the background, ms. Default 1,800,000. */
  readonly backgroundLifetimeMs?: number;
  /** Maximum lifetime in the background, ms. Default 7,200,000. */
  readonly maxBackgroundLifetimeMs?: number;
  /** Characters of output in the result; more is written to a file. Default 30,000. */
  readonly maxOutputChars?: number | undefined;
  /** Bytes of output that are kept on disk. Default 256 MiB. */
  readonly maxSpillBytes?: number;
  /** ms for which open pipes are read after the shell has exited. Default 250. */
  readonly drainMs?: number;
  /** ms between SIGTERM and SIGKILL. Default 500. */
  readonly killGraceMs?: number;
  /** ms between two progress messages. Default 1000. */
  readonly progressMs?: number;
  /** Commands run in a sandbox; `mayLeave`: a call may ask to run outside of it. Default: there is none. */
  readonly sandbox?: { readonly mayLeave: boolean } | undefined;
  readonly clock?: Clock;
  /** PATH of commands, which determines the shell. Default: that of each call. */
  readonly path?: string | undefined;
}

export type BashSettings = {
  readonly [Name in Exclude<keyof BashOptions, 'path' | 'sandbox'>]: NonNullable<BashOptions[Name]>;
} & Pick<BashOptions, 'path' | 'sandbox'>;
