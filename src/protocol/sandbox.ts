/** Isolation of commands by the system: what the rooms that start programs need of it. */

/** A program to start: in isolation, another program starts it. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Open descriptors that the program gets as 4, 5, …; `ignore`: left out. Default none. */
  readonly descriptors?: readonly (number | 'ignore')[];
  /** To be called once nothing of the program is left. Never rejects. */
  readonly release?: () => Promise<void>;
}

/** Puts a launch into isolation. Rejects, with a sentence, when that cannot be done: then nothing may be started. */
export type Isolate = (launch: Launch) => Promise<Launch>;

/**
 * Where a shell command runs: `sandbox`, in isolation; `excluded`, outside because the settings name it; `override`,
 * outside because the call asks for it.
 */
export type CommandPlace = 'sandbox' | 'excluded' | 'override';

export interface SandboxedCall {
  readonly command: string;
  readonly dangerouslyDisableSandbox?: boolean | undefined;
}

export interface SandboxPort {
  placeOf(call: SandboxedCall): CommandPlace | Promise<CommandPlace>;
  readonly isolate: Isolate;
  /** A call may ask to run outside: through the ordinary rules. */
  readonly mayLeave: boolean;
  /** What is said in the sandbox needs no question, unless a rule speaks. */
  readonly autoAllow: boolean;
  /** Hooks that are commands run in isolation too. */
  readonly isolatesHooks: boolean;
  /** For the model, beside the failure of a command that ran in it: what it may not do. */
  readonly limits: string;
  /** Once nothing runs in it any more. Never rejects. */
  close(): Promise<void>;
}
