/** One model call beside the conversation, with its cost on the ledger. */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import {
  type CallModel,
  FRESH_RETRY_STATE,
  type ModelOutcome,
  type ModelRequest,
  type QuerySource,
} from '../../protocol/model/model.ts';
import { roughPromptTokens, UsageMeter } from '../../protocol/model/usage.ts';
import type { StreamEvent } from '../../protocol/model/wire.ts';
import type { Ledger } from '../../protocol/ports.ts';
import { type Stamp, stamped } from '../notices.ts';

export interface AskOncePorts extends Stamp {
  readonly callModel: CallModel;
  readonly ledger: Ledger;
}

export interface HelperQuestion {
  readonly querySource: QuerySource;
  /** A caller waits for the answer. */
  readonly foreground: boolean;
  readonly system: string;
  /** Text blocks of one message. */
  readonly texts: readonly string[];
  readonly model: string;
  /** A truncated answer is discarded. */
  readonly maxTokens: number;
  readonly sessionId: string;
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

/** undefined: no usable answer, or the budget is used up. Never rejects for a failed call. */
export async function askOnce(question: HelperQuestion, ports: AskOncePorts): Promise<string | undefined> {
  const request = buildRequest(question, ports);
  const call = { signal: question.signal, retry: FRESH_RETRY_STATE };
  const answer = await readTextAnswer(ports.callModel(request, call));
  const isUsable = answer.outcome.kind === 'complete' && answer.stopReason === 'end_turn';
  settleAnswer(request, answer, { ledger: ports.ledger, wasted: !isUsable });
  const text = answer.text.trim();
  return isUsable && text !== '' ? text : undefined;
}

/** What a call has said by its end. */
interface TextAnswer {
  readonly outcome: ModelOutcome;
  readonly text: string;
  readonly stopReason: string | null;
  readonly meter: UsageMeter;
}

/** `onText`: called with all of the text so far, as it comes. */
export async function readTextAnswer(
  run: ReturnType<CallModel>,
  onText?: (text: string) => void,
): Promise<TextAnswer> {
  const meter = new UsageMeter();
  let text = '';
  let stopReason: string | null = null;
  const take = (event: StreamEvent): void => {
    switch (event.type) {
      case 'message_start':
        text = '';
        meter.begin(event.message.usage);
        return;
      case 'content_block_start':
        if (event.content_block.type === 'text') text += event.content_block.text;
        return;
      case 'content_block_delta':
        if (event.delta.type !== 'text_delta') return;
        text += event.delta.text;
        onText?.(text);
        return;
      case 'message_delta':
        stopReason = event.delta.stop_reason;
        meter.add(event.usage);
    }
  };
  for (;;) {
    const next = await run.next();
    if (next.done) return { outcome: next.value, text, stopReason, meter };
    if (next.value.kind === 'events') next.value.events.forEach(take);
  }
}

/** Puts the cost of an answer on the ledger. `wasted`: the answer was of no use. */
export function settleAnswer(
  request: ModelRequest,
  { outcome, text, meter }: TextAnswer,
  { ledger, wasted }: { readonly ledger: Ledger; readonly wasted: boolean },
): void {
  if (meter.usage === undefined) return;
  ledger.settle({
    model: request.model,
    effectKey: request.effectKey,
    usage: meter.charged({
      outputChars: text.length,
      promptTokens: () => roughPromptTokens(request),
      ended: outcome.kind === 'complete',
      maxTokens: request.maxTokens,
    }),
    main: false,
    querySource: request.querySource,
    ...(wasted && { wasted }),
  });
}

function buildRequest(question: HelperQuestion, stamp: Stamp): ModelRequest {
  const message: ViewMessage = {
    type: 'user',
    ...stamped(stamp),
    isSynthetic: true,
    kind: 'nudge',
    message: { role: 'user', content: question.texts.map((text) => ({ type: 'text', text })) },
  };
  return {
    querySource: question.querySource,
    foreground: question.foreground,
    effectKey: question.effectKey,
    sessionId: question.sessionId,
    model: question.model,
    system: [question.system],
    tools: [],
    maxTokens: question.maxTokens,
    view: PersistentList.from([message]),
    stream: true,
    // A cache entry would be paid for and never read.
    cache: false,
  };
}
