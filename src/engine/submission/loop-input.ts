/** What the engine hands to the loop for one submission. */
import type { CarryOn, LoopDeps, LoopParams, OuterGuard } from '../../loop/deps.ts';
import { FRESH_COMPACTION } from '../../loop/state.ts';
import { OUTPUT_CAP_WITH_THINKING, thinkingFor } from '../../model/request/thinking-options.ts';
import type { EffortLevel, ThinkingConfig } from '../../protocol/wire.ts';
import type { Scope } from '../../util/async/scope.ts';
import { fallbackModels } from '../models/model-choice.ts';
import type { SubmissionContext } from '../session/request-context.ts';
import type { EngineParts, SessionMemory } from '../session/session-parts.ts';
import { withBackgroundTasks } from './stop-hook-tasks.ts';
import { STRUCTURED_OUTPUT_TOOL } from './structured-output.ts';

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
  readonly carryOn?: CarryOn | undefined;
  readonly startAt?: LoopParams['startAt'] | undefined;
}

export function loopParamsOf(input: LoopInput, parts: EngineParts): LoopParams {
  const { config, memory, journal, structured } = parts;
  const { model } = input;
  const effort = input.effort ?? memory.effort ?? config.effort;
  const thinking = shownAs(
    memory.thinkingDisplay,
    thinkingFor(memory.thinking ?? config.thinking, model, parts.model.infoOf(model)),
  );
  return {
    sessionId: parts.sessionId,
    submission: input.submission,
    querySource: 'main',
    foreground: true,
    agentPath: '',
    chainId: input.submission,
    depth: 0,
    view: () => journal.view.messages,
    ...input.context,
    model,
    fallbackModels: fallbackModels(model, parts),
    ...(thinking !== undefined && { thinking }),
    ...(effort !== undefined && { effort }),
    ...(memory.fastMode === true && { speed: 'fast' as const }),
    ...(config.betas !== undefined && { betas: config.betas }),
    ...(config.maxTurns !== undefined && { maxTurns: config.maxTurns }),
    ...(config.taskBudget !== undefined && { taskBudget: config.taskBudget }),
    ...(memory.taskRemaining !== undefined && { taskBudgetRemaining: memory.taskRemaining }),
    ...(config.tokenBudget !== undefined && { tokenBudget: config.tokenBudget }),
    ...(config.maxOutputTokens !== undefined && { maxOutputTokens: config.maxOutputTokens }),
    defaultOutputCap: hasOwnBudget(thinking) ? OUTPUT_CAP_WITH_THINKING : DEFAULT_OUTPUT_CAP,
    escalatedOutputCap: ESCALATED_OUTPUT_CAP,
    includePartialMessages: config.includePartialMessages === true,
    showCacheBreaks: config.verbose === true,
    stopHookBlockCap: config.stopHookBlockCap ?? STOP_HOOK_BLOCK_CAP,
    ...(structured !== undefined && { structuredOutput: { toolName: STRUCTURED_OUTPUT_TOOL } }),
    compaction: FRESH_COMPACTION,
    ...(input.carryOn !== undefined && { carryOn: input.carryOn }),
    ...(input.startAt !== undefined && { startAt: input.startAt }),
    attemptBase: ATTEMPTS_PER_LIFE * journal.earlierLives,
    scope: input.scope,
  };
}

export function loopDepsOf(guard: OuterGuard, parts: EngineParts): LoopDeps {
  return {
    callModel: parts.model.call,
    recorder: parts.journal.recorder,
    tools: parts.tools.port,
    context: parts.context,
    hooks: withBackgroundTasks(parts.hooks, parts.tasks),
    attachments: parts.attachments,
    ledger: parts.ledger,
    guard,
    clock: parts.clock,
    ids: parts.ids,
    cacheWatch: parts.cacheWatch,
    modelLimits: (model) => ({
      maxOutputTokens: parts.model.infoOf(model).maxOutputTokens,
      nonStreamingRepeat: true,
    }),
    takeSwitch() {
      const adopted = parts.memory.adopted;
      parts.memory.adopted = undefined;
      return adopted;
    },
    onStage: (stage) => parts.state.enter(stage),
    onDenial: (denial) => parts.memory.denials.push(denial),
  };
}

/** It thinks on a budget that nobody chose. */
function hasOwnBudget(thinking: ThinkingConfig | undefined): boolean {
  return thinking?.type === 'enabled' && thinking.budgetTokens === undefined;
}

function shownAs(
  display: SessionMemory['thinkingDisplay'],
  thinking: ThinkingConfig | undefined,
): ThinkingConfig | undefined {
  if (display === undefined || thinking === undefined || thinking.type === 'disabled') return thinking;
  const { display: _, ...rest } = thinking;
  return display === null ? rest : { ...rest, display };
}
