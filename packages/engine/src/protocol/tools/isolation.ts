/** Isolation of commands by the operating system, as the rooms that start programs use it. */

/** A program to start. With isolation, a wrapper program starts it. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Open descriptors that the program receives as 4, 5, …; `ignore` skips one. Default none. */
  readonly descriptors?: readonly (number | 'ignore')[];
  /** Call it once the program and its children have ended. Never rejects. */
  readonly release?: () => Promise<void>;
}

/**
 * Wraps a launch in isolation. Rejects with a sentence if that fails: the program must not be started then.
 */
export type Isolate = (launch: Launch) => Promise<Launch>;

/**
 * Where a shell command runs. `sandbox`: isolated; `excluded`: outside, because settings name it; `override`:
 * outside, because the call requests it.
 */
export type CommandPlace = 'sandbox' | 'excluded' | 'override';

export interface SandboxedCall {
  readonly command: string;
  readonly dangerouslyDisableSandbox?: boolean | undefined;
}

export interface SandboxPort {
  placeOf(call: SandboxedCall): CommandPlace | Promise<CommandPlace>;
  readonly isolate: Isolate;
  /** A call may request to run outside, subject to the ordinary rules. */
  readonly mayLeave: boolean;
  /** Commands that run outside, as settings name them. */
  readonly excludedCommands: readonly string[];
  /** Sandboxed commands run without a question, unless a rule requires one. */
  readonly autoAllow: boolean;
  /** Command hooks run isolated too. */
  readonly isolatesHooks: boolean;
  /** Text for the model, appended to the failure of an isolated command: the restrictions of the sandbox. */
  readonly limits: string;
  /** Call it once nothing runs in the sandbox any more. Never rejects. */
  close(): Promise<void>;
}
