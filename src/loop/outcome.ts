import type { UserMessage, ViewMessage } from '../protocol/messages.ts';
import type { Iteration } from './iteration.ts';
import { contextTokens } from './response.ts';
import type { Outcome } from './transitions.ts';

/** What this iteration adds to the view: the answer, its results in the model's order, attachments, then `extra`. */
export function outcomeOf(iteration: Iteration, extra: readonly ViewMessage[] = []): Outcome {
  const { response, state } = iteration;
  const known = new Set(iteration.params.carryOn?.known.map((message) => message.uuid));
  const append = [
    ...response.messages,
    ...inCallOrder(iteration).filter((message) => !known.has(message.uuid)),
    ...iteration.attachments,
    ...extra,
  ];
  const tokens = contextTokens(response.usage);
  return {
    append,
    outputTokens: response.usage.output_tokens,
    ...(tokens > 0 && response.ended
      ? { measured: { tokens, length: state.view.messages.length + response.messages.length } }
      : {}),
  };
}

/** The next request's bytes do not depend on which tool was quicker. */
function inCallOrder(iteration: Iteration): UserMessage[] {
  const order = new Map(iteration.response.calls.map((call, index) => [call.block.id, index]));
  const place = (message: UserMessage): number => {
    const block = typeof message.message.content === 'string' ? undefined : message.message.content[0];
    return block?.type === 'tool_result' ? (order.get(block.tool_use_id) ?? order.size) : order.size;
  };
  return [...iteration.results].sort((a, b) => place(a) - place(b));
}
