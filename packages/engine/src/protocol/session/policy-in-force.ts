/** What decides about calls besides the call itself and the disk: enough to decide again elsewhere. */
import type {
  PermissionBehavior,
  PermissionLocks,
  PermissionMode,
  PermissionRuleSource,
} from '../tools/permission.ts';

/** Rules as they are written, each run of one source behind its name: their order counts. */
export type RecordedRules = readonly (readonly [source: PermissionRuleSource, ...rules: string[]])[];

/** The folders that verdicts are about, as absolute paths, and what is known of them. */
interface PolicyPlace {
  /** The session's own folder. */
  readonly root: string;
  readonly home?: string;
  /** Where the shell looks for programs (`PATH`). */
  readonly searchPath?: string;
  /** Folders of the call that may be read and written. */
  readonly additionalDirectories: readonly string[];
  /** Folders that the asker writes without a question. */
  readonly own?: readonly string[];
  /** Folders that may only be read. */
  readonly readable: readonly string[];
  /** Besides what their names and the home folder protect. */
  readonly protected: readonly { readonly path: string; readonly except?: string | undefined }[];
  readonly memoryImportsAnywhere?: true;
  readonly ignoreCase?: true;
}

/** Where commands run isolated. */
export interface PolicySandbox {
  readonly autoAllow: boolean;
  /** A call may ask to run outside. */
  readonly mayLeave: boolean;
  /** Commands that run outside, as settings name them. */
  readonly excludedCommands: readonly string[];
}

/** The policy of one moment. */
export interface PolicyInForce extends Readonly<Record<PermissionBehavior, RecordedRules>> {
  readonly mode: PermissionMode;
  /** Of the agent that asks; it applies where it is stricter. null: it has none of its own. */
  readonly agentMode: PermissionMode | null;
  /** Added by options and updates: path and source. */
  readonly directories: readonly (readonly [path: string, source: PermissionRuleSource])[];
  readonly locks: PermissionLocks;
  readonly place: PolicyPlace;
  /** null: commands are not isolated. */
  readonly sandbox: PolicySandbox | null;
}

/** Facts of a tool that decide, where the engine's own tool of its name does not tell them. */
export interface JudgedTool {
  readonly aliases?: readonly string[];
  readonly readOnly?: true;
  /** Every call needs an answer. */
  readonly needsPerson?: true;
  readonly policy?: PermissionBehavior;
  /** Its calls are asked about in every mode. */
  readonly asksAlways?: true;
  /** What the call is about; absent: nothing, or it is too long to be kept. */
  readonly target?: unknown;
}
