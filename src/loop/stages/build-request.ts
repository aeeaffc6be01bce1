/** Stage 2: what is asked of the model (L3). The view's bytes are made by the model room, once per message. */
import type { ModelRequest } from '../../protocol/model.ts';
import { oncePer } from '../../util/once-per.ts';
import type { LoopParams } from '../deps.ts';
import type { Iteration } from '../iteration.ts';
import { overloadLimit } from '../recovery/model-fallback.ts';

/** Room for the answer beside an explicit thinking budget. */
const ANSWER_BESIDE_THINKING = 8_000;

export function buildRequest(iteration: Iteration): ModelRequest {
  const { params, state } = iteration;
  const { current: model, effort } = state.model;
  const { taskRemaining } = state.budgets;
  const request: ModelRequest = {
    ...lasting(params),
    effectKey: `${params.submission}/${state.iteration}`,
    model,
    ...overloadLimit(state.model.fallbacks, params),
    view: state.view.messages,
    tools: iteration.wireTools,
    maxTokens: outputCap(iteration),
    ...(effort !== undefined && { effort }),
    ...(params.taskBudget !== undefined && {
      taskBudget: {
        total: params.taskBudget.total,
        ...(taskRemaining !== undefined && { remaining: taskRemaining }),
      },
    }),
    ...(iteration.contextManagement !== undefined && { contextManagement: iteration.contextManagement }),
  };
  iteration.trace.request = {
    model,
    maxTokens: request.maxTokens,
    ...(effort !== undefined && { effort }),
  };
  return request;
}

/** What is the same in every request of a submission. */
const lasting = oncePer((params: LoopParams) => ({
  querySource: params.querySource,
  foreground: params.foreground,
  sessionId: params.sessionId,
  ...(params.agentPath !== '' && { agentId: params.agentPath.slice(params.agentPath.lastIndexOf('/') + 1) }),
  system: params.system,
  userContext: params.userContext,
  ...(params.thinking !== undefined && { thinking: params.thinking }),
  ...(params.betas !== undefined && { betas: params.betas }),
  ...(params.speed !== undefined && { speed: params.speed }),
  stream: true,
}));

function outputCap({ params, state, deps }: Iteration): number {
  const budget = params.thinking?.type === 'enabled' ? params.thinking.budgetTokens : undefined;
  const byDefault =
    budget === undefined
      ? params.defaultOutputCap
      : Math.max(params.defaultOutputCap, budget + ANSWER_BESIDE_THINKING);
  const cap = state.recovery.capOverride ?? params.maxOutputTokens ?? byDefault;
  return Math.min(cap, deps.modelLimits(state.model.current).maxOutputTokens);
}
