/**
 * What the loop learns from outside and no other record holds: written with the decision of its iteration,
 * and absent where there is nothing of it, as on nearly every turn. With the records it is enough to run the
 * loop again (`replay/`).
 */
import type { ModelFailure } from '../model/failure.ts';
import type { ThinkingConfig } from '../model/wire.ts';
import type { HookEvent, HookVerdict } from '../tools/hook.ts';
import type { CheckReport } from './verification.ts';

/** What a run was given, as far as it differs from the defaults. */
export interface RunFacts {
  readonly fallbackModels?: readonly string[];
  /** Who serves a model, where it is not the session's own provider. */
  readonly providers?: Readonly<Record<string, string>>;
  readonly thinking?: ThinkingConfig;
  readonly taskBudget?: { readonly total: number };
  readonly taskBudgetRemaining?: number;
  readonly tokenBudget?: { readonly target: number };
  readonly maxOutputTokens?: number;
  readonly defaultOutputCap?: number;
  readonly escalatedOutputCap?: number;
  readonly stopHookBlockCap?: number;
  readonly structuredOutput?: string;
  readonly isBackground?: true;
  /** A strict budget may let an answer be no longer than it can pay. */
  readonly isPaidAhead?: true;
  /** Waits may end the run. */
  readonly parks?: true;
  /** How often failed completion conditions may send the model back; absent: there are none. */
  readonly verifyAttempts?: number;
  /** Events of the loop for which there are hooks. */
  readonly hooks?: readonly HookEvent[];
  /** Sizes of models that no list of ours has, or not with these sizes, in tokens. */
  readonly sizes?: Readonly<
    Record<string, { readonly contextWindow: number; readonly maxOutputTokens: number }>
  >;
  /** When the context counts as full, in tokens or as a share of what the view may fill. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Context steps that are switched off. */
  readonly off?: readonly string[];
  /** Automatic compaction, and what follows a refusal for size: off. */
  readonly autocompact?: false;
  readonly reactiveCompact?: boolean;
}

/** How a model call ended that gave no complete answer at once. */
export interface ToldCall {
  /** Number of the call within the iteration, from 0. */
  readonly n: number;
  /** HTTP attempts that it made. */
  readonly attempts: number;
  readonly kind: 'complete' | 'broken' | 'failed' | 'aborted' | 'parked';
  readonly failure?: Omit<ModelFailure, 'cause'>;
  /** Failures in a row so far, by which another model may take over. */
  readonly overloadedInARow?: number;
  readonly stalledInARow?: number;
  readonly wakeAt?: number;
  readonly why?: string;
}

/** An estimate of a request that does not follow from the records of its run. */
export interface ToldSize {
  /** Number of the estimate within the iteration, from 0. Absent: the first. */
  readonly n?: number;
  /** Tokens of the messages, where an earlier process had them from the provider; again once that ends. */
  readonly view?: number;
  /** Real tokens per estimated token, and the smallest counted request of the model, as learned before. */
  readonly factor?: number;
  readonly least?: number;
  /** The estimate itself, where results that the provider has cleared are left out of it. */
  readonly tokens?: number;
}

export interface Told {
  /** With the first decision of a run. */
  readonly run?: RunFacts;
  /** Estimated tokens of a request outside its messages; where they differ from the iteration before. */
  readonly head?: number;
  readonly sizes?: readonly ToldSize[];
  readonly calls?: readonly ToldCall[];
  /** What the hooks that the loop asked have answered, in order. */
  readonly hooks?: readonly { readonly event: HookEvent; readonly verdict: HookVerdict }[];
  /** What was found of the completion conditions. */
  readonly checks?: readonly CheckReport[];
  /** When the submission was aborted: what the loop was waiting for. */
  readonly abort?: { readonly reason: string; readonly during: Waited };
}

export type Waited = 'model' | 'hooks' | 'checks' | 'nothing';
