/** One call of a small model, in the background, that condenses a span of the conversation. */
import type { ViewMessage } from '../protocol/messages.ts';
import { type CallModel, FRESH_RETRY_STATE, type ModelRequest } from '../protocol/model.ts';
import type { Ledger } from '../protocol/ports.ts';
import { EMPTY_USAGE, type StreamEvent, type Usage } from '../protocol/wire.ts';
import { PersistentList } from '../util/persistent-list.ts';
import { COLLAPSE_REQUEST, COLLAPSE_SYSTEM, collapseTranscript } from './collapse-transcript.ts';
import { type Stamp, stamped } from './notices.ts';
import { estimateTokens } from './token-estimate.ts';

export interface CondensePorts extends Stamp {
  readonly callModel: CallModel;
  readonly ledger: Ledger;
}

export interface CondenseInput {
  readonly messages: readonly ViewMessage[];
  readonly model: string;
  readonly sessionId: string;
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

export type Condense = (input: CondenseInput) => Promise<string | undefined>;

/** An answer that is cut off here is of no use, so this is well above the length that is asked for. */
const MAX_TOKENS = 4_000;

/** Undefined: no usable answer, or no money for one. Never rejects for a call that failed. */
export function createCondense(ports: CondensePorts): Condense {
  return async (input) => {
    const { model, effectKey, signal } = input;
    const request = requestOf(input, ports);
    const inputTokens = estimateTokens(request.view);
    if (!ports.ledger.reserve({ model, effectKey, inputTokens, maxTokens: MAX_TOKENS }).ok) return undefined;
    const answer = newAnswer();
    const run = ports.callModel(request, { signal, retry: FRESH_RETRY_STATE });
    for (;;) {
      const next = await run.next();
      if (!next.done) {
        if (next.value.kind === 'events') for (const event of next.value.events) take(event, answer);
        continue;
      }
      const complete = next.value.kind === 'complete' && answer.stopReason === 'end_turn';
      const { usage } = answer;
      if (usage !== undefined)
        ports.ledger.settle({ model, effectKey, usage, main: false, ...(!complete && { wasted: true }) });
      const text = answer.text.trim();
      return complete && text !== '' ? text : undefined;
    }
  };
}

/** As text in one message: calls and results of the span need no tools to be declared, and no model's signatures. */
function requestOf(input: CondenseInput, stamp: Stamp): ModelRequest {
  const message: ViewMessage = {
    type: 'user',
    ...stamped(stamp),
    isSynthetic: true,
    kind: 'nudge',
    message: {
      role: 'user',
      content: [
        { type: 'text', text: collapseTranscript(input.messages) },
        { type: 'text', text: COLLAPSE_REQUEST },
      ],
    },
  };
  return {
    querySource: 'summary',
    foreground: false,
    effectKey: input.effectKey,
    sessionId: input.sessionId,
    model: input.model,
    canFallBack: false,
    system: [COLLAPSE_SYSTEM],
    tools: [],
    maxTokens: MAX_TOKENS,
    view: PersistentList.from([message]),
    stream: true,
    // Asked once: a cache entry would be paid for and never read.
    cache: false,
  };
}

interface Answer {
  text: string;
  stopReason: string | null;
  usage: Usage | undefined;
}

const newAnswer = (): Answer => ({ text: '', stopReason: null, usage: undefined });

function take(event: StreamEvent, answer: Answer): void {
  switch (event.type) {
    case 'message_start':
      answer.text = '';
      answer.usage = { ...EMPTY_USAGE, ...event.message.usage };
      return;
    case 'content_block_start':
      if (event.content_block.type === 'text') answer.text += event.content_block.text;
      return;
    case 'content_block_delta':
      if (event.delta.type === 'text_delta') answer.text += event.delta.text;
      return;
    case 'message_delta':
      answer.stopReason = event.delta.stop_reason;
      answer.usage = { ...EMPTY_USAGE, ...answer.usage, ...event.usage };
  }
}
