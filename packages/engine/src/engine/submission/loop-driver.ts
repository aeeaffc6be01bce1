/**
 * Drives the loop of a submission or of an agent: what it is handed, its batches, the budgets after each
 * message, and its end when one is used up. Nothing else in the engine runs the loop.
 */

import { ConsumerLeft, type Output } from '@turnwright/base/async/batch-output.ts';
import type { Scope } from '@turnwright/base/async/scope.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { LoopEnd } from '../../loop/decision.ts';
import type { LoopDeps, LoopParams, OuterGuard } from '../../loop/deps.ts';
import { runQueryLoop } from '../../loop/query-loop.ts';
import { FRESH_COMPACTION } from '../../loop/state.ts';
import { OUTPUT_CAP_WITH_THINKING } from '../../model/request/thinking-options.ts';
import type { LoopBatch, LoopMessage } from '../../protocol/model/messages.ts';
import type { EffortLevel, ThinkingConfig } from '../../protocol/model/wire.ts';
import type { Terminal } from '../../protocol/session/terminal.ts';
import { type RunDefaults, recordTold } from '../budget/record-told.ts';
import { createGuard, type GuardOptions } from '../budget/run-guards.ts';
import { limitOptions } from '../compaction-options.ts';
import type { SubmissionContext } from '../session/request-context.ts';
import type { ConversationPorts } from '../session/session.ts';
import { withBackgroundTasks } from './stop-hook-tasks.ts';

/** Output cap when none was set, and the one it escalates to (L3), in tokens. */
const DEFAULT_OUTPUT_CAP = 8_000;
const ESCALATED_OUTPUT_CAP = 64_000;
const STOP_HOOK_BLOCK_CAP = 8;
/** More than one life of a session can make of one iteration: keeps the ids of its lives apart. */
const ATTEMPTS_PER_LIFE = 1_000;

export interface LoopInput {
  readonly submission: string;
  readonly scope: Scope;
  readonly model: string;
  /** Default: the session's. */
  readonly effort?: EffortLevel | undefined;
  readonly context: SubmissionContext;
  /** Default: the beginning of the submission. */
  readonly startAt?: LoopParams['startAt'];
}

export function buildLoopParams(input: LoopInput, ports: ConversationPorts): LoopParams {
  const { budget, config, conversation } = ports;
  const { model } = input;
  const effort = input.effort ?? ports.model.effort;
  const thinking = ports.model.thinkingOf(model);
  const { taskRemaining } = budget;
  return {
    sessionId: conversation.sessionId,
    submission: input.submission,
    querySource: 'main',
    foreground: true,
    agentPath: '',
    chainId: input.submission,
    depth: 0,
    view: () => conversation.messages,
    ...input.context,
    model,
    fallbackModels: ports.model.fallbacksOf(model),
    ...(thinking !== undefined && { thinking }),
    ...(effort !== undefined && { effort }),
    ...(ports.model.isFast && { speed: 'fast' as const }),
    ...(config.betas !== undefined && { betas: config.betas }),
    ...(config.maxTurns !== undefined && { maxTurns: config.maxTurns }),
    ...(config.taskBudget !== undefined && { taskBudget: config.taskBudget }),
    ...(taskRemaining !== undefined && { taskBudgetRemaining: taskRemaining }),
    ...(config.tokenBudget !== undefined && { tokenBudget: config.tokenBudget }),
    ...(config.maxOutputTokens !== undefined && { maxOutputTokens: config.maxOutputTokens }),
    defaultOutputCap: hasOwnBudget(thinking) ? OUTPUT_CAP_WITH_THINKING : DEFAULT_OUTPUT_CAP,
    escalatedOutputCap: ESCALATED_OUTPUT_CAP,
    includePartialMessages: config.includePartialMessages === true,
    showCacheBreaks: config.verbose === true,
    stopHookBlockCap: config.stopHookBlockCap ?? STOP_HOOK_BLOCK_CAP,
    compaction: FRESH_COMPACTION,
    startAt: input.startAt,
    attemptBase: ATTEMPTS_PER_LIFE * conversation.journal.earlierOwners,
    scope: input.scope,
  };
}

/** What a run has by itself, and the options of its context. */
export function runDefaultsOf({
  compaction = {},
  strictBudget,
  purse,
}: ConversationPorts['config']): RunDefaults {
  const limits = limitOptions(compaction);
  const { auto, reactive, snip, collapse } = compaction;
  const off = [...(snip === false ? ['snip'] : []), ...(collapse === false ? ['context-collapse'] : [])];
  return {
    defaultOutputCap: DEFAULT_OUTPUT_CAP,
    escalatedOutputCap: ESCALATED_OUTPUT_CAP,
    stopHookBlockCap: STOP_HOOK_BLOCK_CAP,
    context: {
      ...(Object.keys(limits).length > 0 && { limits: { ...limits } }),
      ...(off.length > 0 && { off }),
      ...(auto === false && { autocompact: false as const }),
      ...(reactive !== undefined && { reactiveCompact: reactive }),
      ...((strictBudget === true || purse !== undefined) && { isPaidAhead: true as const }),
    },
  };
}

export function buildLoopDeps(guard: OuterGuard, ports: ConversationPorts): LoopDeps {
  const { context, conversation, model, tools, world } = ports;
  return {
    callModel: model.client.call,
    recorder: conversation.recorder,
    tools: tools.port,
    context: context.port,
    hooks: withBackgroundTasks(ports.hooks, ports.tasks),
    attachments: context.attachments,
    ledger: ports.budget.account,
    guard,
    clock: world.clock,
    ids: world.ids,
    cacheWatch: context.cacheWatch,
    modelLimits: (name) => ({
      maxOutputTokens: model.infoOf(name).maxOutputTokens,
      nonStreamingRepeat: true,
    }),
    providerOf: (name) => model.client.providerOf(name),
    modelReady: (name, life) => model.client.ready(name, life),
    takeSwitch: () => model.takeAdopted(),
  };
}

/** `T`: what the consumer receives. */
export interface Drive<T> {
  readonly params: LoopParams;
  /** What its parameters are compared with, to record those that differ. */
  readonly runsWith: RunDefaults;
  /** The loop's ports; `guard` is the one that the driver checks. */
  deps(guard: OuterGuard): LoopDeps;
  readonly budgets: Omit<GuardOptions, 'turnCount'>;
  /** What the consumer receives of a message. */
  show(message: LoopMessage): readonly T[];
  /** What the consumer receives in the place of what `show` returned. */
  display?: ((shown: readonly T[]) => Promise<readonly T[]>) | undefined;
  /** Called when the consumer has received what `show` returned last. */
  delivered?(): void;
  /** Whether nothing may be emitted any more; the loop is then ended without a terminal. */
  isSilent?(): boolean;
  /**
   * How long an aborted loop may take to end, in ms; then it is no longer waited for. Default: without a
   * limit.
   */
  readonly abortGraceMs?: number;
}

/**
 * How the run ended: why it stopped, or what it waits for; undefined when it was ended because nothing may be
 * emitted.
 */
export async function driveLoop<T>(drive: Drive<T>, output: Output<T>): Promise<LoopEnd | undefined> {
  const { abortGraceMs, params } = drive;
  const driver = new LoopDriver(drive, output);
  const run = driver.run();
  if (abortGraceMs === undefined) return run;
  const end = await orAfter(abortGraceMs, run, params.scope.signal);
  return end ?? driver.abandon();
}

/** Takes the loop's batches: shows them, and ends it when a budget is used up. */
class LoopDriver<T> implements Output<LoopMessage> {
  readonly #drive: Drive<T>;
  readonly #output: Output<T>;
  readonly #guard: OuterGuard;
  #turnCount = 1;
  /** The loop is over, for a reason that it does not know. */
  #end: LoopEnd | undefined;

  constructor(drive: Drive<T>, output: Output<T>) {
    this.#drive = drive;
    this.#output = output;
    this.#guard = createGuard({ turnCount: () => this.#turnCount, ...drive.budgets });
  }

  async run(): Promise<LoopEnd | undefined> {
    const { params, runsWith, deps, isSilent } = this.#drive;
    try {
      const end = await runQueryLoop(params, recordTold(deps(this.#guard), params, runsWith), this);
      return isSilent?.() === true ? undefined : end;
    } catch (error) {
      if (this.#end !== undefined) return this.#end;
      if (isSilent?.() === true) return undefined;
      if (error instanceof ConsumerLeft) throw error;
      return this.#stop('model_error', { errors: [errorText(error)] });
    }
  }

  emit(batch: LoopBatch): Promise<void> | undefined {
    const { display, isSilent } = this.#drive;
    if (this.#end !== undefined || isSilent?.() === true) this.#endLoop();
    const shown = this.#take(batch);
    if (shown.length === 0) return this.#taken();
    const taken =
      display === undefined
        ? this.#output.emit(shown)
        : display(shown).then((displayed) => this.#output.emit(displayed));
    return taken === undefined ? this.#taken() : taken.then(this.#taken);
  }

  /** The loop did not end in time: nothing of it is shown from here on. */
  abandon(): LoopEnd {
    this.#end = this.#stop('aborted_streaming');
    return this.#end;
  }

  /** The consumer has what was shown. */
  readonly #taken = (): undefined => {
    this.#drive.delivered?.();
    if (this.#end !== undefined) this.#endLoop();
  };

  #endLoop(): never {
    this.#drive.params.scope.abort('returned');
    throw new ConsumerLeft();
  }

  #take(batch: LoopBatch): readonly T[] {
    const shown: T[] = [];
    // A response is paid for when it ends: what precedes that is shown, whichever read of the stream it came
    // with.
    const end = batch.findLastIndex(endsResponse);
    for (let at = 0; at < batch.length && (this.#end === undefined || at <= end); at++) {
      const message = batch[at] as LoopMessage;
      if (message.type === 'stream_request_start') this.#turnCount = message.iteration;
      for (const each of this.#drive.show(message)) shown.push(each);
      // After every message, shown or not: usage is known with the events that end a response (L9).
      const terminal = this.#guard.verdict();
      this.#end = terminal && { kind: 'stop', terminal };
    }
    return shown;
  }

  #stop(reason: Terminal['reason'], more: Pick<Terminal, 'errors'> = {}): LoopEnd {
    return { kind: 'stop', terminal: { reason, turnCount: this.#turnCount, ...more } };
  }
}

function endsResponse(message: LoopMessage): boolean {
  if (message.type !== 'stream_events') return false;
  const last = message.events.at(-1)?.type;
  return last === 'message_stop' || last === 'message_delta';
}

/** undefined: the signal was aborted, and the work has taken longer than the grace period since (F138). */
function orAfter<T>(graceMs: number, work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const startTimer = () => {
      timer = setTimeout(() => resolve(undefined), graceMs);
      timer.unref();
    };
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', startTimer);
    };
    work.then(resolve, reject).finally(done);
    if (signal.aborted) startTimer();
    else signal.addEventListener('abort', startTimer, { once: true });
  });
}

/** Whether thinking has the default budget. */
function hasOwnBudget(thinking: ThinkingConfig | undefined): boolean {
  return thinking?.type === 'enabled' && thinking.budgetTokens === undefined;
}
