/**
 * The end of one response, complete or not: recorded, paid for, used to calibrate estimates, and followed by
 * notices: what the API cleared, and a missed prompt cache.
 */
import type { CacheReport } from '../../protocol/model/cache.ts';
import type { AssistantMessage, LoopBatch, LoopMessage, SystemBody } from '../../protocol/model/messages.ts';
import type { ModelRequest } from '../../protocol/model/model.ts';
import { promptTokens } from '../../protocol/model/usage.ts';
import type { Usage } from '../../protocol/model/wire.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { LoopDeps } from '../deps.ts';
import type { Iteration } from '../iteration.ts';
import { systemMessage } from '../loop-messages.ts';
import type { ResponseSoFar } from '../response.ts';
import type { Prepared } from '../stage-output.ts';

/** Transitions whose iteration sends an edited view. */
const RECOVERIES = new Set<string>(['collapse_drain_retry', 'reactive_compact_retry']);

interface Settling {
  readonly response: ResponseSoFar;
  readonly request: ModelRequest;
  readonly prepared: Prepared;
  readonly iteration: Iteration;
}

/**
 * Once per attempt; later calls change nothing. `broken`: what the response cost was wasted (L4.3).
 * `usageRecorded`: the record of its last block holds its usage already.
 */
export function settleResponse(
  { response, request, prepared, iteration }: Settling,
  { broken = false, usageRecorded = false },
): void {
  const { deps, params, trace } = iteration;
  if (response.settled) return;
  response.settled = true;
  const { usage } = response;
  const costUsd = deps.ledger.settle({
    model: request.model,
    effectKey: iteration.id('model'),
    usage,
    main: params.depth === 0,
    querySource: params.querySource,
    ...(broken ? { wasted: true } : {}),
  });
  trace.cost(costUsd, broken);
  if (response.ended) {
    response.cache = learnFrom(usage, request, prepared, deps);
    trace.note({ cache: response.cache });
  }
  const end: JournalBody = {
    type: 'response',
    id: iteration.id('response'),
    submission: params.submission,
    iteration: iteration.number,
    messageId: response.messageId ?? '',
    model: request.model,
    stopReason: response.stopReason,
    usage,
    costUsd,
    ...(response.ended ? {} : { broken: true }),
    ...(response.requestId === undefined ? {} : { requestId: response.requestId }),
  };
  deps.recorder.later(usageRecorded ? [end] : [end, ...settledBlock(response, iteration)]);
}

/** A block as it is recorded once it is known how its response ended. */
export function withEnd(message: AssistantMessage, { stopReason, usage }: ResponseSoFar): AssistantMessage {
  return { ...message, message: { ...message.message, stop_reason: stopReason, usage } };
}

/**
 * The last block, recorded again with the usage that was not known when it was first recorded (L4.1 forbids
 * waiting).
 */
function settledBlock(response: ResponseSoFar, { params, number }: Iteration): JournalBody[] {
  const last = response.messages.at(-1);
  if (last === undefined) return [];
  const { submission } = params;
  return [{ ...withEnd(last, response), submission, iteration: number, settled: true }];
}

/**
 * Calibrates the estimates by the tokens that the request really had; returns what the prompt cache did for
 * it.
 */
function learnFrom(
  usage: Usage,
  request: ModelRequest,
  { state, tokens, editedBy }: Prepared,
  deps: LoopDeps,
): CacheReport | undefined {
  const estimated = deps.context.measure?.(request).tokens ?? tokens;
  if (usage.estimated !== true) deps.context.calibrate?.(estimated, promptTokens(usage), request.model);
  const { transition } = state;
  const recovery = transition !== undefined && RECOVERIES.has(transition.reason) ? [transition.reason] : [];
  return deps.cacheWatch?.answered(request, usage, [...recovery, ...editedBy]);
}

/** Adds the notices to the batch that holds the end of the response; synchronous where there are none. */
export function addNotices(
  batch: LoopMessage[],
  response: ResponseSoFar,
  iteration: Iteration,
  { tools }: Pick<ModelRequest, 'tools'>,
): LoopBatch | Promise<LoopBatch> {
  const { appliedEdits, ended } = response;
  if (!ended) return batch;
  const text = tools.length > 0 ? textLikeACall(response) : undefined;
  if (text === undefined && appliedEdits === undefined && iteration.params.showCacheBreaks !== true)
    return batch;
  const notices = listNotices(response, iteration);
  if (text === undefined) return recordNotices(notices, batch, iteration);
  return import('./written-call.ts').then(({ writtenCallNotice }) =>
    recordNotices([...notices, ...writtenCallNotice(text, tools)], batch, iteration),
  );
}

/** What every call contains that is written as text. */
const LIKE_A_CALL =
  /"(?:name|tool|tool_name|function)"\s*:|<function=|<invoke |<\|?tool_call|\[TOOL_CALLS\]|<(?:action|tool)>/i;

/** The text of an answer without calls that may contain one (F118). */
function textLikeACall({ calls, messages }: ResponseSoFar): string | undefined {
  const block = calls.length === 0 ? messages.at(-1)?.message.content[0] : undefined;
  return block?.type === 'text' && LIKE_A_CALL.test(block.text) ? block.text : undefined;
}

function listNotices({ appliedEdits, cache }: ResponseSoFar, { deps, params }: Iteration): SystemBody[] {
  const notices: SystemBody[] = [];
  const cleared = appliedEdits === undefined ? undefined : deps.context.appliedEdits?.(appliedEdits);
  if (cleared !== undefined) notices.push(cleared);
  const missed = params.showCacheBreaks === true ? cache?.break : undefined;
  if (missed !== undefined) {
    const content = `The prompt cache was missed for ${missed.tokens} tokens: ${missed.why}.`;
    notices.push({ subtype: 'informational', level: 'info', content });
  }
  return notices;
}

async function recordNotices(
  notices: readonly SystemBody[],
  batch: LoopMessage[],
  iteration: Iteration,
): Promise<LoopBatch> {
  for (const notice of notices) {
    const message = systemMessage(iteration.deps, notice);
    await iteration.recordMessage(message);
    batch.push(message);
  }
  return batch;
}
