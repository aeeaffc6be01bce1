/** Stage 3, where an earlier process has recorded the response already (L4.1). */
import type { RecordedResponse } from '../../protocol/session/resume-point.ts';
import { resultIds } from '../../view/tool-results.ts';
import type { Iteration } from '../iteration.ts';
import { fallBack, fallbackFor } from '../recovery/model-fallback.ts';
import { emptyResponse, type Response, type ResponseSoFar } from '../response.ts';
import type { Prepared } from '../stage-output.ts';

/** A refused answer of an earlier process is followed by another model's, where there is one. */
export async function resumedResponse(
  recorded: RecordedResponse,
  { state, tokens }: Prepared,
  iteration: Iteration,
): Promise<Response> {
  const { model } = state;
  const response = recordedResponse(recorded, model.current, iteration);
  const trigger = recorded.isRefusal ? 'refusal' : undefined;
  const { fallback } = await fallbackFor(trigger, model, tokens, iteration);
  if (fallback === undefined) return { models: model, ...response };
  const refusal = { requestId: undefined, details: undefined, retracted: [] };
  const models = await fallBack(fallback, model, iteration, refusal);
  return { models, ...response, stopReason: 'tool_use' };
}

/**
 * A response that an earlier process recorded: its unanswered calls run as if they had just arrived (L4.1).
 */
function recordedResponse(recorded: RecordedResponse, model: string, { tools }: Iteration): ResponseSoFar {
  const { calls, known, isRefusal } = recorded;
  const answered = new Set(known.flatMap(resultIds));
  tools.resume(recorded);
  if (isRefusal) tools.refuse();
  for (const call of calls) {
    if (answered.has(call.block.id)) continue;
    tools.start(call);
    tools.delivered(call.block.id);
  }
  return {
    ...emptyResponse(model),
    calls: [...calls],
    ended: true,
    stopReason: isRefusal ? 'refusal' : 'tool_use',
  };
}
