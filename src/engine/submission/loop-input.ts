/** What the engine hands to the loop for one submission. */
import type { LoopDeps, LoopParams, OuterGuard } from '../../loop/deps.ts';
import { FRESH_COMPACTION } from '../../loop/state.ts';
import { OUTPUT_CAP_WITH_THINKING } from '../../model/request/thinking-options.ts';
import type { EffortLevel, ThinkingConfig } from '../../protocol/model/wire.ts';
import type { Scope } from '../../util/async/scope.ts';
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

export function loopParamsOf(input: LoopInput, ports: ConversationPorts): LoopParams {
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

export function loopDepsOf(guard: OuterGuard, ports: ConversationPorts): LoopDeps {
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
    takeSwitch: () => model.takeAdopted(),
  };
}

/** It thinks on a budget that nobody chose. */
function hasOwnBudget(thinking: ThinkingConfig | undefined): boolean {
  return thinking?.type === 'enabled' && thinking.budgetTokens === undefined;
}
