/** Stage 2: what the model is asked (L3). The view's bytes are made by the model room, once per message. */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import type { ModelRequest } from '../../protocol/model/model.ts';
import type { LoopParams } from '../deps.ts';
import type { Iteration } from '../iteration.ts';
import { ANSWER_BESIDE_THINKING_TOKENS } from '../limits.ts';
import { fallbackMarks } from '../recovery/model-fallback.ts';
import type { Prepared } from '../stage-output.ts';
import type { State } from '../state.ts';

/** undefined: no request is made. */
export function buildRequest(prepared: Prepared, iteration: Iteration): ModelRequest | undefined {
  if (prepared.kind !== 'ready') return undefined;
  const { params, trace } = iteration;
  const { state, tools, contextManagement } = prepared;
  const { current: model, effort } = state.model;
  const { taskRemaining } = state.budgets;
  const request: ModelRequest = {
    effectKey: `${params.submission}/${iteration.number}`,
    model,
    view: state.view.messages,
    tools,
    maxTokens: outputCap(state, iteration),
    ...lasting(params),
    ...fallbackMarks(state.model, iteration),
    ...(effort !== undefined && { effort }),
    ...(params.taskBudget !== undefined && {
      taskBudget: {
        total: params.taskBudget.total,
        ...(taskRemaining !== undefined && { remaining: taskRemaining }),
      },
    }),
    ...(contextManagement !== undefined && { contextManagement }),
  };
  const { maxTokens } = request;
  trace.note({ request: { model, maxTokens, ...(effort !== undefined && { effort }) } });
  return request;
}

/** The part that every request of a submission has in common. */
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

function outputCap(state: State, { params, deps }: Iteration): number {
  const budget = params.thinking?.type === 'enabled' ? params.thinking.budgetTokens : undefined;
  const byDefault =
    budget === undefined
      ? params.defaultOutputCap
      : Math.max(params.defaultOutputCap, budget + ANSWER_BESIDE_THINKING_TOKENS);
  const cap = state.recovery.capOverride ?? params.maxOutputTokens ?? byDefault;
  return Math.min(cap, deps.modelLimits(state.model.current).maxOutputTokens);
}
