/** A case: what is asked, in which state of which files, and what must hold afterwards. */
import type { PermissionMode } from '@turnwright/engine';

/** Is replaced by the folder of the run in prompts, commands and recorded answers. */
export const FOLDER_MARK = '{{cwd}}';

export interface EvalCase {
  /** The name of its folder. */
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
  /** Of its files: records of runs hold for this content alone. */
  readonly hash: string;
  /** Sent one after the other, each when the one before has its result. */
  readonly prompts: readonly string[];
  readonly state: CaseState;
  readonly checks: readonly CaseCheck[];
  readonly options: CaseOptions;
  /** Lines of recorded answers, for runs without a model; undefined: there are none. */
  readonly answers: string | undefined;
}

/** What the working copy of a run is made of. */
interface CaseState {
  /** A commit of a repository; absolute path. */
  readonly repository?: { readonly path: string; readonly commit: string };
  /** Applied to it. */
  readonly patch?: string;
  /** A tree that is copied, or laid over the commit. */
  readonly files?: string;
  /** A tree that is laid over the working copy when the model has ended, before the checks. */
  readonly after?: string;
}

export type CaseCheck =
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly exit: number;
      readonly timeoutMs: number;
    }
  | ({
      readonly kind: 'file';
      readonly file: string;
      readonly exists?: boolean;
      readonly unchanged?: true;
    } & TextDemand)
  | ({ readonly kind: 'answer' } & TextDemand)
  | { readonly kind: 'schema'; readonly schema: Readonly<Record<string, unknown>> }
  | { readonly kind: 'judge'; readonly question: string; readonly model: string };

export interface TextDemand {
  readonly contains?: string;
  /** Source of a regular expression. `^` and `$` are ends of lines. */
  readonly matches?: string;
}

interface CaseOptions {
  readonly tools?: readonly string[];
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly permissionMode?: PermissionMode;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly timeoutSeconds?: number;
}
