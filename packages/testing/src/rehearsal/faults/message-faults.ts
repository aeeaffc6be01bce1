/** Faults of the model itself: truncated calls, empty answers, refusals, pauses, a full window. */
import { type ComposedMessage, cutBlock } from '../reply/compose-message.ts';
import type { FaultKind } from './fault-kind.ts';

/** The output cap truncates the JSON of the last tool call in its middle; without a call, the last block. */
export const maxTokensInToolJson: FaultKind = {
  message(message) {
    const lastCall = message.blocks.findLastIndex(({ block }) => block.type === 'tool_use');
    const at = lastCall < 0 ? message.blocks.length - 1 : lastCall;
    const struck = message.blocks[at];
    if (struck === undefined) return { ...message, stopReason: 'max_tokens' };
    const cut = cutBlock(struck, Math.max(1, Math.floor(struck.streamed.length / 8)));
    const kept = message.blocks.slice(0, at);
    return { ...message, blocks: cut === undefined ? kept : [...kept, cut], stopReason: 'max_tokens' };
  },
};

export const emptyMessage: FaultKind = {
  message: (message) => ({
    ...message,
    blocks: [],
    stopReason: 'end_turn',
    outputTokens: 0,
    thinkingTokens: 0,
  }),
};

export const refusal: FaultKind = { message: stopsWith('refusal') };
export const pauseTurn: FaultKind = { message: stopsWith('pause_turn') };
export const windowExceeded: FaultKind = { message: stopsWith('model_context_window_exceeded') };

/** Calls are dropped: a message with this stop reason requests none. */
function stopsWith(stopReason: string): (message: ComposedMessage) => ComposedMessage {
  return (message) => ({
    ...message,
    blocks: message.blocks.filter(({ block }) => block.type !== 'tool_use'),
    stopReason,
  });
}
