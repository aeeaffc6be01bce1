/** Stage 2: what is asked of the model (L3). The view's bytes are made by the model room, once per message. */
import type { ModelRequest } from '../../protocol/model.ts';
import type { Iteration } from '../iteration.ts';

/** Room for the answer beside an explicit thinking budget. */
const ANSWER_BESIDE_THINKING = 8_000;

export async function buildRequest(iteration: Iteration): Promise<ModelRequest> {
  const { params, state, deps } = iteration;
  const { current: model, effort } = state.model;
  const { taskRemaining } = state.budgets;
  const tools = deps.tools.wireTools(model);
  const request: ModelRequest = {
    querySource: params.querySource,
    foreground: params.foreground,
    effectKey: `${params.submission}/${state.iteration}`,
    sessionId: params.sessionId,
    ...(params.agentPath === ''
      ? {}
      : { agentId: params.agentPath.slice(params.agentPath.lastIndexOf('/') + 1) }),
    model,
    canFallBack: state.model.fallbacks.length > 0,
    system: params.system,
    userContext: params.userContext,
    view: state.view.messages,
    tools: 'then' in tools ? await tools : tools,
    maxTokens: outputCap(iteration),
    ...(params.thinking === undefined ? {} : { thinking: params.thinking }),
    ...(effort === undefined ? {} : { effort }),
    ...(params.betas === undefined ? {} : { betas: params.betas }),
    ...(params.speed === undefined ? {} : { speed: params.speed }),
    ...(params.taskBudget === undefined
      ? {}
      : {
          taskBudget: {
            total: params.taskBudget.total,
            ...(taskRemaining === undefined ? {} : { remaining: taskRemaining }),
          },
        }),
    ...(iteration.contextManagement === undefined ? {} : { contextManagement: iteration.contextManagement }),
    stream: true,
  };
  iteration.trace.request = {
    model,
    maxTokens: request.maxTokens,
    ...(effort === undefined ? {} : { effort }),
  };
  return request;
}

function outputCap({ params, state, deps }: Iteration): number {
  const budget = params.thinking?.type === 'enabled' ? params.thinking.budgetTokens : undefined;
  const byDefault =
    budget === undefined
      ? params.defaultOutputCap
      : Math.max(params.defaultOutputCap, budget + ANSWER_BESIDE_THINKING);
  const cap = state.recovery.capOverride ?? params.maxOutputTokens ?? byDefault;
  return Math.min(cap, deps.modelLimits(state.model.current).maxOutputTokens);
}
