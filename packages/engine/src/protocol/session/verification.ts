/** Completion conditions: what must hold when the model says that it is done, and what was found. */
import type { JsonObject } from '../json.ts';

/** A command whose exit code must be 0. It runs in the session's folder. */
interface VerifyCommand {
  readonly run: string;
  /** @default 600000, which is also the most */
  readonly timeoutMs?: number | undefined;
}

/** A JSON file that must fit a JSON Schema. */
interface VerifySchema {
  readonly file: string;
  readonly schema: JsonObject;
}

/** A model that judges whether a condition holds. It is asked only when everything else holds. */
export interface VerifyJudge {
  readonly condition: string;
  /** @default a small one of the session's provider */
  readonly model?: string | undefined;
}

/**
 * What must hold at the end of a prompt. Paths are relative to the session's folder.
 *
 * @example
 * ```ts
 * const verify: VerifyConditions = { commands: ['npm test'], exist: ['dist/index.js'], unchanged: ['test'] };
 * ```
 */
export interface VerifyConditions {
  readonly commands?: readonly (string | VerifyCommand)[] | undefined;
  /** Files and folders that must exist. */
  readonly exist?: readonly string[] | undefined;
  /** Files and folders, with all they hold, that must be as they were when the prompt came. */
  readonly unchanged?: readonly string[] | undefined;
  readonly schemas?: readonly VerifySchema[] | undefined;
  readonly judge?: string | VerifyJudge | undefined;
  /**
   * How often the model is sent back to work.
   * @default 3
   */
  readonly attempts?: number | undefined;
}

/** One condition, and what was found about it. */
export interface VerifyCheck {
  readonly kind: 'command' | 'exist' | 'unchanged' | 'schema' | 'judge';
  /** The command, the path, or the judge's condition. */
  readonly name: string;
  /** `impossible`: it could not be checked, and nothing that the model does would change that. */
  readonly outcome: 'passed' | 'failed' | 'impossible';
  /** What failed, in a sentence. */
  readonly why?: string;
  /** Of a command: the call that proves it, by the model or the engine; its intent is in the journal. */
  readonly toolUseId?: string;
  readonly by?: 'model' | 'engine';
}

/** What is known of the conditions when a prompt ends; `verification` of its result. */
export type Verification =
  | { readonly status: 'verified'; readonly checks: readonly VerifyCheck[] }
  | {
      readonly status: 'unverified';
      /** A sentence. */
      readonly reason: string;
      /** As they were found last; empty where the run ended before anything was checked. */
      readonly checks: readonly VerifyCheck[];
    };

/** A check, with the end of what its command wrote. */
export interface CheckReport extends VerifyCheck {
  readonly output?: string;
}

/** The conditions of the running submission, as the loop asks for them. */
export interface VerifyPort {
  /** How often the model is sent back to work. */
  readonly attempts: number;
  /** undefined: nothing is to be checked now. */
  check(end: {
    readonly submission: string;
    readonly iteration: number;
    readonly signal: AbortSignal;
  }): Promise<readonly CheckReport[] | undefined>;
}

/** What `attempts` is by default. */
export const VERIFY_ATTEMPTS = 3;
