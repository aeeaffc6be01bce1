/** What the model passes to Bash, and what a session configures about it. */
import type { Clock } from '../../../protocol/ports.ts';

export interface BashInput {
  readonly command: string;
  readonly timeout?: number;
  readonly description?: string;
  readonly run_in_background?: boolean;
  /** Outside of the sandbox, if the rules allow it there. Without effect where there is none. */
  readonly dangerouslyDisableSandbox?: boolean;
}

export interface BashOptions {
  /** ms. Default 120 000. */
  readonly defaultTimeoutMs?: number;
  /** ms; a longer wish is lowered to it. Default 600 000. */
  readonly maxTimeoutMs?: number;
  /** Offers `run_in_background`. Default true; it also takes a session that has tasks. */
  readonly background?: boolean;
  /** ms that a command may run in the background. Default 1 800 000. */
  readonly backgroundLifetimeMs?: number;
  /** ms; a longer wish is lowered to it. Default 7 200 000. */
  readonly maxBackgroundLifetimeMs?: number;
  /** Characters of output that are shown; more goes to a file. Default 30 000. */
  readonly maxOutputChars?: number;
  /** Bytes of output that are kept on disk. Default 256 MiB. */
  readonly maxSpillBytes?: number;
  /** ms that open pipes are still read after the shell has exited. Default 250. */
  readonly drainMs?: number;
  /** ms between SIGTERM and SIGKILL. Default 500. */
  readonly killGraceMs?: number;
  /** ms between two progress messages. Default 1000. */
  readonly progressMs?: number;
  /** Commands run in a sandbox; `mayLeave`: a call may ask to run outside of it. Default: there is none. */
  readonly sandbox?: { readonly mayLeave: boolean };
  readonly clock?: Clock;
  /** PATH of the environment that commands run in; by it is known which shell there is. Default: that of each call. */
  readonly path?: string | undefined;
}

export type BashSettings = Required<Omit<BashOptions, 'path' | 'sandbox'>> &
  Pick<BashOptions, 'path' | 'sandbox'>;
