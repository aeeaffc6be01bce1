/**
 * L4.4: the third overloaded response in a row, or the third stall in a row, switches the model for the rest
 * of the submission. Decided here alone.
 */
import type { LoopBatch } from '../../protocol/model/messages.ts';
import type { ModelRequest, RetryState } from '../../protocol/model/model.ts';
import type { LoopParams } from '../deps.ts';
import type { Iteration } from '../iteration.ts';
import { FAILURES_UNTIL_FALLBACK } from '../limits.ts';
import { systemMessage } from '../loop-messages.ts';
import type { ModelState } from '../state.ts';

/**
 * The limit that a request carries when there is another model to ask. A background query gives up
 * immediately instead (L8).
 */
export function overloadLimit(
  fallbacks: readonly string[],
  { foreground }: LoopParams,
): Pick<ModelRequest, 'overloadLimit'> {
  return foreground && fallbacks.length > 0 ? { overloadLimit: FAILURES_UNTIL_FALLBACK } : {};
}

interface Fallback {
  readonly trigger: 'overloaded' | 'stalled';
  readonly from: string;
  readonly to: string;
  /** Models left to try after `to`. */
  readonly rest: readonly string[];
  /** Why those before `to` were passed over, one sentence each. */
  readonly skipped: readonly string[];
}

interface Choice {
  /** The model that takes over; undefined: the model stays. */
  readonly fallback?: Fallback;
  /** Why models of the chain cannot take over, one sentence each. */
  readonly skipped: readonly string[];
}

const STAYS: Choice = Object.freeze({ skipped: Object.freeze([]) });

/** What follows from this outcome of a request. `tokens`: size of the request. */
export async function fallbackAfter(
  { overloadedInARow, stalledInARow = 0 }: RetryState,
  request: ModelRequest,
  models: ModelState,
  tokens: number,
  { deps, scope }: Iteration,
): Promise<Choice> {
  const limit = request.overloadLimit ?? Number.POSITIVE_INFINITY;
  if (Math.max(overloadedInARow, stalledInARow) < limit) return STAYS;
  const trigger = stalledInARow >= limit ? 'stalled' : 'overloaded';
  const skipped: string[] = [];
  for (const [index, to] of models.fallbacks.entries()) {
    await deps.modelReady?.(to, scope);
    const { window, blockingAt } = deps.context.limitsFor(to);
    if (tokens < blockingAt) {
      const rest = models.fallbacks.slice(index + 1);
      return { fallback: { trigger, from: models.current, to, rest, skipped }, skipped };
    }
    skipped.push(
      `${to} was skipped: its window of ${window} tokens is too small for this conversation of about ${tokens} tokens.`,
    );
  }
  return { skipped };
}

/** Returns the models from here on; a warning names both. */
export async function* fallBack(
  { trigger, from, to, rest, skipped }: Fallback,
  models: ModelState,
  iteration: Iteration,
): AsyncGenerator<LoopBatch, ModelState> {
  const { trace, deps } = iteration;
  trace.note({ fallback: { from, to } });
  const state = trigger === 'stalled' ? 'does not answer' : 'is overloaded';
  yield* iteration.emit(
    systemMessage(deps, {
      subtype: 'model_fallback',
      trigger,
      original_model: from,
      fallback_model: to,
      content: [`${from} ${state}; ${to} takes over for the rest of this submission.`, ...skipped].join(' '),
    }),
  );
  return { ...models, current: to, fallbacks: rest };
}

/** No model of the chain can take over: the user hears why. */
export async function* warnOfSkipped(
  skipped: readonly string[],
  iteration: Iteration,
): AsyncGenerator<LoopBatch, void> {
  const content = ['No fallback model can take over.', ...skipped].join(' ');
  yield* iteration.emit(
    systemMessage(iteration.deps, { subtype: 'informational', level: 'warning', content }),
  );
}

/** The same request, which uses all its retries because no other model is left. */
export function withoutLimit({ overloadLimit: _, ...request }: ModelRequest): ModelRequest {
  return request;
}

/** The same request for the other model. The model room leaves out thinking that the first one signed. */
export function requestAgain(
  request: ModelRequest,
  { to, rest }: Fallback,
  iteration: Iteration,
): ModelRequest {
  return {
    ...withoutLimit(request),
    ...overloadLimit(rest, iteration.params),
    model: to,
    maxTokens: Math.min(request.maxTokens, iteration.deps.modelLimits(to).maxOutputTokens),
    stream: true,
  };
}
