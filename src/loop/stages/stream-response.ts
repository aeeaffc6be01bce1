/**
 * Stage 3: one response, whatever it takes. A stream that breaks is asked again here and a model that is
 * overloaded is replaced here (L4.3, L4.4): neither is a transition. Failures end up as a fact, not on the screen.
 */
import type { Said } from '../../protocol/messages.ts';
import {
  type CallOptions,
  FRESH_RETRY_STATE,
  type ModelOutcome,
  type ModelRequest,
} from '../../protocol/model.ts';
import type { Iteration } from '../iteration.ts';
import { afterBreak, keepFinishedBlocks, supersede } from '../recovery/broken-stream.ts';
import { announceFallback, nextFallback } from '../recovery/model-fallback.ts';
import { carriesOn } from './prepare-view.ts';
import { reportTools } from './report-tools.ts';
import { ResponseReader } from './response-reader.ts';
import { takeNotice } from './take-notice.ts';

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
    const outcome = yield* readAnswer(ask, options, iteration);
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

/** Reads one answer to its end, showing finished blocks, and tool results as they come in beside it. */
async function* readAnswer(
  request: ModelRequest,
  options: Omit<CallOptions, 'signal'>,
  iteration: Iteration,
): AsyncGenerator<Said, ModelOutcome> {
  const reader = new ResponseReader(request, iteration);
  const outputs = iteration.deps.callModel(request, { ...options, signal: iteration.signal });
  const release = iteration.scope.onClose(async () => {
    await outputs.return(undefined as never).catch(() => {});
  });
  try {
    let pending = outputs.next();
    while (true) {
      if (iteration.openCalls > 0) {
        const first = await Promise.race([
          pending.then(() => 'model' as const),
          iteration.executor.ready().then(() => 'tools' as const),
        ]);
        const said = await reportTools(iteration);
        if (said.length > 0) yield said;
        if (first === 'tools' && iteration.openCalls > 0) continue;
      }
      const next = await pending;
      if (next.done) {
        release();
        const last = await reader.end(next.value);
        if (last.length > 0) yield last;
        return next.value;
      }
      const output = next.value;
      if (output.kind !== 'events') yield await takeNotice(output, request, iteration);
      else {
        iteration.response.requestId ??= output.requestId;
        const said = await reader.take(output);
        if (said.length > 0) yield said;
        reader.delivered();
      }
      pending = outputs.next();
      pending.catch(() => {}); // awaited above; a consumer that ends early must not leave it unhandled
    }
  } finally {
    // Left early (returned, out of money, thrown): what was received is paid for, and the scope ends the call.
    reader.abandon();
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
