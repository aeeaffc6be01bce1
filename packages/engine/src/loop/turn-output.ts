import type { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { AssistantMessage, ViewMessage } from '../protocol/model/messages.ts';
import { contextTokens } from '../protocol/model/usage.ts';
import { inCallOrder } from '../view/tool-results.ts';
import type { LoopParams } from './deps.ts';
import type { Iteration } from './iteration.ts';
import type { StageOutput } from './stage-output.ts';
import type { Outcome } from './transitions.ts';

/**
 * The view that the loop starts with. Results of a resumed response that end it are left out: they join it
 * with the missing ones, in the order of the calls, so that the next request has the bytes that it would have
 * had without the interruption.
 */
export function viewAtStart({
  view,
  startAt,
}: Pick<LoopParams, 'view' | 'startAt'>): PersistentList<ViewMessage> {
  const messages = view();
  const known = new Set(startAt?.response?.known.map(({ uuid }) => uuid));
  let { length } = messages;
  while (known.has(messages.at(length - 1)?.uuid ?? '')) length -= 1;
  return length === messages.length ? messages : messages.first(length);
}

/**
 * What this iteration adds to the view: the blocks of the response, its results in the model's order, the
 * attachments, then `extra`. `blocks`: those that were not retracted.
 */
export function turnOutput(
  { state, response, results, attachments }: StageOutput,
  { params }: Iteration,
  extra: readonly ViewMessage[] = [],
  blocks: readonly AssistantMessage[] = response.messages,
): Outcome {
  const isResumed = state.iteration === params.startAt?.iteration && params.startAt.response !== undefined;
  const inView = isResumed ? new Set(state.view.messages.slice().map(({ uuid }) => uuid)) : undefined;
  const append = [
    ...blocks,
    ...inCallOrder(results.messages, response.calls).filter(({ uuid }) => inView?.has(uuid) !== true),
    ...attachments.messages,
    ...extra,
  ];
  const tokens = contextTokens(response.usage);
  return {
    append,
    outputTokens: response.usage.output_tokens,
    ...(tokens > 0 && response.ended
      ? { measured: { tokens, length: state.view.messages.length + blocks.length } }
      : {}),
  };
}
