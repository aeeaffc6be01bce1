/**
 * The tools of one iteration: the executor, which the first call opens, and what its calls have returned so
 * far.
 */

import type { Scope } from '@turnwright/base/async/scope.ts';
import { extended } from '@turnwright/base/collections/extended.ts';
import type { LoopBatch, LoopMessage, SystemBody, UserMessage } from '../protocol/model/messages.ts';
import type { CollectedOfCalls, Wait } from '../protocol/session/parking.ts';
import type { RecordedResponse } from '../protocol/session/resume-point.ts';
import type { AbortWhy, ToolCall, ToolExecutor, ToolUpdate } from '../protocol/tools/tool-call.ts';
import type { DecisionTrace } from './decision-trace.ts';
import type { LoopDeps, LoopParams } from './deps.ts';
import { systemMessage } from './loop-messages.ts';
import type { ToolResults } from './stage-output.ts';

type ResultUpdate = Extract<ToolUpdate, { kind: 'result' }>;

/** By the reason that a submission is aborted for. */
const ENDED_BY: Readonly<Record<string, AbortWhy>> = {
  interrupt: 'preempted',
  returned: 'left',
  thrown: 'left',
  closed: 'left',
  lease_lost: 'left',
  deadline: 'out_of_time',
};

const NO_WAITS: readonly Wait[] = Object.freeze([]);

export class ToolRun {
  readonly #params: LoopParams;
  readonly #deps: LoopDeps;
  readonly #scope: Scope;
  readonly #iteration: number;
  readonly #trace: DecisionTrace;
  #executor: ToolExecutor | undefined;
  #updates: ToolUpdate[] = [];
  readonly #messages: UserMessage[] = [];
  readonly #hookContext: string[] = [];
  #endsTurn = false;
  #preventContinuation: ToolResults['preventContinuation'];
  #deniedWithInterrupt = false;

  /** `iteration`: its number. */
  constructor(params: LoopParams, deps: LoopDeps, scope: Scope, trace: DecisionTrace, iteration: number) {
    this.#params = params;
    this.#deps = deps;
    this.#scope = scope;
    this.#iteration = iteration;
    this.#trace = trace;
  }

  start(call: ToolCall): void {
    this.#executor ??= this.#open();
    this.#executor.add(call);
  }

  /** The consumer has the call's block: its gate may ask hooks and hosts from here on. */
  delivered(callId: string): void {
    this.#executor?.delivered(callId);
  }

  /** Results that an earlier process recorded for the same response, and what they brought besides. */
  resume({ known, collected }: RecordedResponse): void {
    this.#messages.push(...known);
    if (collected !== undefined) this.#collect(collected);
  }

  /** Number of calls whose result was not taken yet. */
  get open(): number {
    return this.#executor?.open ?? 0;
  }

  /** Resolves when there is an update, or no call is open. */
  ready(): Promise<void> {
    return this.#executor?.ready() ?? Promise.resolve();
  }

  /** The run ends without results for the calls that are left. */
  leave(): void {
    this.#executor?.leave();
  }

  /** `why`: default, what ended the submission. */
  async abort(why: AbortWhy = this.#endedBy): Promise<void> {
    await this.#executor?.abort(why);
  }

  /** The response has ended as a refusal: its calls that run are stopped, the others do not start. */
  refuse(): void {
    this.#executor ??= this.#open();
    void this.#executor.abort('refused');
  }

  /** Who or what ended the submission, or a part of it. */
  get #endedBy(): AbortWhy {
    const terminal = this.#deps.guard.verdict();
    if (terminal !== undefined)
      return terminal.reason === 'budget_exhausted' ? 'out_of_money' : 'out_of_attempts';
    const { scope } = this.#params;
    const reason: unknown = scope.aborted ? scope.signal.reason : undefined;
    return (typeof reason === 'string' ? ENDED_BY[reason] : undefined) ?? 'interrupted';
  }

  /** Drops the executor with everything that runs in it; the next call opens another one. */
  async discard(): Promise<void> {
    const old = this.#executor;
    this.#executor = undefined;
    await old?.abort('discarded');
    old?.take();
  }

  /** Takes what the tools have ready: progress as it is, results once they are recorded. */
  async drain(): Promise<LoopBatch> {
    const batch: LoopMessage[] = [];
    for (let update = this.#next(); update !== undefined; update = this.#next()) {
      if (update.kind === 'progress') batch.push(update.message);
      else await this.#takeResult(update, batch);
    }
    return batch;
  }

  /** Records the results that no stage took. Emits nothing. undefined: none is left. */
  recordLeft(): Promise<void> | undefined {
    const first = this.#next();
    return first && this.#recordFrom(first);
  }

  async #recordFrom(first: ToolUpdate): Promise<void> {
    for (let update: ToolUpdate | undefined = first; update !== undefined; update = this.#next()) {
      if (update.kind !== 'result') continue;
      this.#note(update);
      // A journal that is lost or cannot be written: resume answers the call.
      await this.#record(await this.#recordedForm(update), update.extraMessages)?.catch(() => {});
    }
  }

  #next(): ToolUpdate | undefined {
    if (this.#updates.length === 0) this.#updates = this.#executor?.take() ?? [];
    return this.#updates.shift();
  }

  async #takeResult(update: ResultUpdate, batch: LoopMessage[]): Promise<void> {
    const forming = this.#recordedForm(update);
    const recorded = forming instanceof Promise ? await forming : forming;
    const recording = this.#record(recorded, update.extraMessages);
    if (recording !== undefined) await recording;
    this.#add(recorded, update);
    this.#note(update);
    const { denial, denialNotice } = update;
    if (denial !== undefined && denialNotice !== undefined)
      await this.#notice(
        {
          subtype: 'permission_denied',
          tool_name: denial.tool_name,
          tool_use_id: denial.tool_use_id,
          ...denialNotice,
          message: denialText(update),
        },
        batch,
      );
    batch.push(emittedForm(recorded, update), ...update.extraMessages);
    for (const body of update.said ?? []) await this.#notice(body, batch);
    // Other calls must not start what the host has just asked to stop.
    if (update.interrupt === true) await this.abort('interrupted');
  }

  /** The result as it is recorded and enters the conversation: what is too large was written to a file. */
  #recordedForm({ message, trace }: ResultUpdate): UserMessage | Promise<UserMessage> {
    return this.#deps.context.keepResult?.(message, trace.name) ?? message;
  }

  /** One entry of the journal. undefined: it is written. */
  #record(result: UserMessage, more: readonly UserMessage[]): Promise<void> | undefined {
    const { submission } = this.#params;
    return this.#deps.recorder.append([result, ...more].map((message) => extended(message, { submission })));
  }

  #note({ trace, denial }: ResultUpdate): void {
    this.#trace.tools.push(trace);
    if (denial !== undefined) this.#deps.onDenial?.(denial);
  }

  async #notice(body: SystemBody, batch: LoopMessage[]): Promise<void> {
    const message = systemMessage(this.#deps, body);
    await this.#deps.recorder.append([{ ...message, submission: this.#params.submission }]);
    batch.push(message);
  }

  #add(result: UserMessage, update: ResultUpdate): void {
    this.#messages.push(result, ...update.extraMessages);
    this.#collect(update);
    this.#deniedWithInterrupt ||= update.interrupt === true;
  }

  #collect({ hookContext, endsTurn, preventContinuation }: CollectedOfCalls): void {
    this.#hookContext.push(...hookContext);
    this.#endsTurn ||= endsTurn;
    this.#preventContinuation ??= preventContinuation;
  }

  get results(): ToolResults {
    return {
      messages: this.#messages,
      waits: this.#executor?.waits ?? NO_WAITS,
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
    this.#scope.onAbort(() => void executor.abort(this.#endedBy));
    return executor;
  }
}

/** The result as the consumer receives it: with the tool's complete output, also where it was shortened. */
function emittedForm(recorded: UserMessage, { message }: ResultUpdate): UserMessage {
  return recorded === message ? recorded : { ...recorded, toolUseResult: message.toolUseResult };
}

function denialText({ message }: ResultUpdate): string {
  const [block] = typeof message.message.content === 'string' ? [] : message.message.content;
  return block?.type === 'tool_result' && typeof block.content === 'string'
    ? block.content
    : 'Permission denied.';
}
