/**
 * Stage 3: one response, whatever it takes. A stream that breaks is asked again here and a model that is
 * overloaded is replaced here (L4.3, L4.4): neither is a transition. Failures end up as a fact, not on the screen.
 */
import type { Said } from '../../protocol/messages.ts';
import { type CallOptions, FRESH_RETRY_STATE, type ModelRequest } from '../../protocol/model.ts';
import type { Iteration } from '../iteration.ts';
import { afterBreak, keepFinishedBlocks, supersede } from '../recovery/broken-stream.ts';
import { announceFallback, nextFallback } from '../recovery/model-fallback.ts';
import { AnswerFeed } from './answer-feed.ts';
import { carriesOn } from './prepare-view.ts';

export async function* streamResponse(
  request: ModelRequest,
  iteration: Iteration,
): AsyncGenerator<Said, void> {
  if (carriesOn(iteration)) return takeUpCalls(iteration);
  if (iteration.abortReason !== undefined) return;
  iteration.deps.onStage?.('streaming');
  let ask = request;
  let options: Omit<CallOptions, 'signal'> = { retry: FRESH_RETRY_STATE };
  while (true) {
    const answer = new AnswerFeed(ask, options, iteration);
    try {
      for (let said = await answer.next(); said !== undefined; said = await answer.next()) yield said;
    } finally {
      answer.abandon();
    }
    const { outcome } = answer;
    if (outcome === undefined) return;
    iteration.trace.attempts.push(...outcome.attempts);
    switch (outcome.kind) {
      case 'complete':
      case 'aborted':
        return;
      case 'failed':
        iteration.response.failure = outcome.failure;
        return;
      case 'broken': {
        const plan = afterBreak(outcome.failure, ask, iteration);
        if (plan.kind === 'keep') return yield* keepFinishedBlocks(outcome, iteration);
        yield* supersede(iteration, 'superseded');
        ask = { ...ask, stream: plan.stream };
        options = { retry: outcome.retry, after: { failure: outcome.failure, immediate: plan.immediate } };
        break;
      }
      case 'fallback': {
        const next = nextFallback(iteration);
        if (next === undefined) {
          iteration.response.failure = outcome.failure;
          return;
        }
        yield* announceFallback(next, iteration);
        ask = { ...ask, ...next.request, stream: true };
        options = { retry: FRESH_RETRY_STATE };
        break;
      }
    }
  }
}

/** Carry on: the response is on record; its unanswered calls run as if they had just arrived (L4.1). */
function takeUpCalls(iteration: Iteration): void {
  const { carryOn } = iteration.params;
  if (carryOn === undefined) return;
  const answered = new Set(
    carryOn.known.flatMap(({ message }) =>
      typeof message.content === 'string'
        ? []
        : message.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
    ),
  );
  iteration.response.calls = [...carryOn.calls];
  iteration.response.ended = true;
  iteration.response.stopReason = 'tool_use';
  iteration.results = [...carryOn.known];
  iteration.told.push(...carryOn.known);
  for (const call of carryOn.calls) {
    if (answered.has(call.block.id)) continue;
    iteration.executor.add(call);
    iteration.executor.delivered(call.block.id);
  }
}
