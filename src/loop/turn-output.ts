import type { AssistantMessage, ViewMessage } from '../protocol/model/messages.ts';
import { inCallOrder } from '../view/tool-results.ts';
import type { Iteration } from './iteration.ts';
import { contextTokens } from './response.ts';
import type { StageOutput } from './stage-output.ts';
import type { Outcome } from './transitions.ts';

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
  const known = new Set(params.startAt?.response?.known.map((message) => message.uuid));
  const append = [
    ...blocks,
    ...inCallOrder(results.messages, response.calls).filter((message) => !known.has(message.uuid)),
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
