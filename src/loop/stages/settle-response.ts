/** The end of one answer, whole or not: on record, paid for, and learned from. */
import type { JournalBody } from '../../protocol/journal.ts';
import type { AssistantMessage } from '../../protocol/messages.ts';
import type { ModelRequest } from '../../protocol/model.ts';
import type { Usage } from '../../protocol/wire.ts';
import type { Iteration } from '../iteration.ts';
import { contextTokens, type ResponseSoFar } from '../response.ts';

/** Transitions whose iteration asks with an edited view. */
const RECOVERIES = new Set<string>(['collapse_drain_retry', 'reactive_compact_retry']);

/**
 * Once per attempt; later calls change nothing. `broken`: what it cost was wasted (L4.3). `isToldOf`: the record of its
 * last block says already what it cost.
 */
export function settleResponse(
  request: ModelRequest,
  iteration: Iteration,
  { broken = false, isToldOf = false },
): void {
  const { response, deps, params, trace } = iteration;
  if (response.settled) return;
  response.settled = true;
  if (!response.ended) response.usage = withEstimate(response.usage, response.outputChars);
  const { usage } = response;
  const costUsd = deps.ledger.settle({
    model: request.model,
    effectKey: iteration.id('model'),
    usage,
    main: params.depth === 0,
    ...(broken ? { wasted: true } : {}),
  });
  trace.costUsd += costUsd;
  if (broken) trace.wastedCostUsd += costUsd;
  deps.onUsage?.(usage, request.model);
  if (response.ended) learnFrom(usage, request, iteration);
  const end: JournalBody = {
    type: 'response',
    id: iteration.id('response'),
    submission: params.submission,
    iteration: iteration.state.iteration,
    messageId: response.messageId ?? '',
    model: request.model,
    stopReason: response.stopReason,
    usage,
    costUsd,
    ...(response.ended ? {} : { broken: true }),
    ...(response.requestId === undefined ? {} : { requestId: response.requestId }),
  };
  deps.recorder.later(isToldOf ? [end] : [end, ...settledBlock(iteration)]);
}

/** A block as it stands on record once it is known how its answer ended. */
export function withEnd(message: AssistantMessage, { stopReason, usage }: ResponseSoFar): AssistantMessage {
  return { ...message, message: { ...message.message, stop_reason: stopReason, usage } };
}

/** Blocks that were recorded before the response said what it cost; its last one says so now (L4.1 forbids waiting). */
function settledBlock({ response, params, state }: Iteration): JournalBody[] {
  const last = response.messages.at(-1);
  if (last === undefined) return [];
  const { submission } = params;
  return [{ ...withEnd(last, response), submission, iteration: state.iteration, settled: true }];
}

/** What the request really cost, beside what was thought; and whether its prefix was found in the prompt cache. */
function learnFrom(usage: Usage, request: ModelRequest, { deps, trace, state }: Iteration): void {
  const reported = contextTokens(usage) - usage.output_tokens;
  const estimated = deps.context.measure?.(request).tokens ?? trace.tokens;
  deps.context.calibrate?.(estimated, reported, request.model);
  const { transition } = state;
  const recovery = transition !== undefined && RECOVERIES.has(transition.reason) ? [transition.reason] : [];
  trace.cache = deps.cacheWatch?.answered(request, usage, [...recovery, ...trace.editedBy]);
}

/** An answer that broke off never said what it cost: about four characters a token. */
function withEstimate(usage: Usage, outputChars: number): Usage {
  return { ...usage, output_tokens: Math.max(usage.output_tokens, Math.ceil(outputChars / 4)) };
}
