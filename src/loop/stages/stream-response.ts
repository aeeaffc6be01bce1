/**
 * Stage 3: one response, whatever it takes. A stream that breaks is asked again here and a model that is
 * overloaded is replaced here (L4.3, L4.4): neither is a transition. Failures end up as a fact, not on the screen.
 */
import type { Said } from '../../protocol/messages.ts';
import { type CallOptions, FRESH_RETRY_STATE, type ModelRequest } from '../../protocol/model.ts';
import type { Iteration } from '../iteration.ts';
import { keepFinishedBlocks, repeatAfter, supersede } from '../recovery/broken-stream.ts';
import { fallBack, fallbackAfter, requestAgain } from '../recovery/model-fallback.ts';
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
      case 'broken': {
        const { failure, retry } = outcome;
        const fallback = fallbackAfter(retry, ask, iteration);
        if (iteration.response.calls.length > 0) {
          yield* keepFinishedBlocks(failure, iteration);
          if (fallback !== undefined) yield* fallBack(fallback, iteration);
          return;
        }
        if (fallback !== undefined) {
          yield* supersede(iteration, 'fallback');
          yield* fallBack(fallback, iteration);
          ask = requestAgain(ask, fallback, iteration);
          options = { retry: FRESH_RETRY_STATE };
        } else if (outcome.kind === 'broken') {
          const { stream, immediate } = repeatAfter(failure, ask, iteration);
          yield* supersede(iteration, 'superseded');
          ask = { ...ask, stream };
          options = { retry, after: { failure, immediate } };
        } else {
          iteration.response.failure = failure;
          return;
        }
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
