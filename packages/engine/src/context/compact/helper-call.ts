/** One model call beside the conversation, with its cost on the ledger. */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import {
  type CallModel,
  FRESH_RETRY_STATE,
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
  const { model, effectKey, querySource, signal } = question;
  const request = buildRequest(question, ports);
  const answer = newAnswer();
  const run = ports.callModel(request, { signal, retry: FRESH_RETRY_STATE });
  for (;;) {
    const next = await run.next();
    if (!next.done) {
      if (next.value.kind === 'events') for (const event of next.value.events) take(event, answer);
      continue;
    }
    const complete = next.value.kind === 'complete' && answer.stopReason === 'end_turn';
    if (answer.meter.usage !== undefined)
      ports.ledger.settle({
        model,
        effectKey,
        usage: answer.meter.charged({
          outputChars: answer.text.length,
          promptTokens: () => roughPromptTokens(request),
          ended: next.value.kind === 'complete',
          maxTokens: request.maxTokens,
        }),
        main: false,
        querySource,
        ...(!complete && { wasted: true }),
      });
    const text = answer.text.trim();
    return complete && text !== '' ? text : undefined;
  }
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

interface Answer {
  text: string;
  stopReason: string | null;
  readonly meter: UsageMeter;
}

const newAnswer = (): Answer => ({ text: '', stopReason: null, meter: new UsageMeter() });

function take(event: StreamEvent, answer: Answer): void {
  switch (event.type) {
    case 'message_start':
      answer.text = '';
      answer.meter.begin(event.message.usage);
      return;
    case 'content_block_start':
      if (event.content_block.type === 'text') answer.text += event.content_block.text;
      return;
    case 'content_block_delta':
      if (event.delta.type === 'text_delta') answer.text += event.delta.text;
      return;
    case 'message_delta':
      answer.stopReason = event.delta.stop_reason;
      answer.meter.add(event.usage);
  }
}
