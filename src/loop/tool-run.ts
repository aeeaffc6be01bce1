/**
 * The tools of one iteration: the executor, which the first call opens, and what its calls have returned so
 * far.
 */
import type { UserMessage } from '../protocol/model/messages.ts';
import type { ToolCall, ToolExecutor, ToolUpdate } from '../protocol/tools/tool.ts';
import type { Scope } from '../util/async/scope.ts';
import type { LoopDeps, LoopParams } from './deps.ts';
import type { ToolResults } from './stage-output.ts';

export type ResultUpdate = Extract<ToolUpdate, { kind: 'result' }>;

export class ToolRun {
  readonly #params: LoopParams;
  readonly #deps: LoopDeps;
  readonly #scope: Scope;
  readonly #iteration: number;
  #executor: ToolExecutor | undefined;
  #updates: ToolUpdate[] = [];
  readonly #messages: UserMessage[] = [];
  readonly #hookContext: string[] = [];
  #endsTurn = false;
  #preventContinuation: ToolResults['preventContinuation'];
  #deniedWithInterrupt = false;

  /** `iteration`: its number. */
  constructor(params: LoopParams, deps: LoopDeps, scope: Scope, iteration: number) {
    this.#params = params;
    this.#deps = deps;
    this.#scope = scope;
    this.#iteration = iteration;
  }

  start(call: ToolCall): void {
    this.#executor ??= this.#open();
    this.#executor.add(call);
  }

  /** The consumer has the call's block: its gate may ask hooks and hosts from here on. */
  delivered(callId: string): void {
    this.#executor?.delivered(callId);
  }

  /** Results that an earlier process recorded for the same response. */
  resume(known: readonly UserMessage[]): void {
    this.#messages.push(...known);
  }

  /** Number of calls whose result was not taken yet. */
  get open(): number {
    return this.#executor?.open ?? 0;
  }

  /** Resolves when there is an update, or no call is open. */
  ready(): Promise<void> {
    return this.#executor?.ready() ?? Promise.resolve();
  }

  async abort(why: 'interrupted' | 'failed'): Promise<void> {
    await this.#executor?.abort(why);
  }

  /** Drops the executor with everything that runs in it; the next call opens another one. */
  async discard(): Promise<void> {
    const old = this.#executor;
    this.#executor = undefined;
    await old?.abort('discarded');
    old?.take();
  }

  /** The next update of a tool, oldest first. A result that was taken is the caller's to record. */
  nextUpdate(): ToolUpdate | undefined {
    if (this.#updates.length === 0) this.#updates = this.#executor?.take() ?? [];
    return this.#updates.shift();
  }

  /** The call's result as it enters the conversation: what is too large for that was written to a file. */
  stored({ message, trace }: ResultUpdate): UserMessage | Promise<UserMessage> {
    return this.#deps.context.keepResult?.(message, trace.name) ?? message;
  }

  /**
   * Records a call's result and its further messages as one entry of the journal. undefined: they are
   * written.
   */
  record(result: UserMessage, { extraMessages }: ResultUpdate): Promise<void> | undefined {
    const { submission } = this.#params;
    return this.#deps.recorder.append(
      [result, ...extraMessages].map((message) => ({ ...message, submission })),
    );
  }

  /** Adds a recorded result to what the calls have returned. */
  add(result: UserMessage, update: ResultUpdate): void {
    this.#messages.push(result, ...update.extraMessages);
    this.#hookContext.push(...update.hookContext);
    this.#endsTurn ||= update.endsTurn;
    this.#preventContinuation ??= update.preventContinuation;
    this.#deniedWithInterrupt ||= update.interrupt === true;
  }

  get results(): ToolResults {
    return {
      messages: this.#messages,
      hookContext: this.#hookContext,
      endsTurn: this.#endsTurn,
      preventContinuation: this.#preventContinuation,
      deniedWithInterrupt: this.#deniedWithInterrupt,
    };
  }

  #open(): ToolExecutor {
    const { chainId, depth } = this.#params;
    const executor = this.#deps.tools.open({
      scope: this.#scope,
      iteration: this.#iteration,
      chainId,
      depth,
    });
    // An abort answers every open call immediately, without waiting for tools that ignore their signal.
    this.#scope.onAbort(() => void executor.abort('interrupted'));
    return executor;
  }
}
