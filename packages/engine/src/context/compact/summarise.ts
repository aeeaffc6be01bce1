/** One model call that turns messages into a summary. */

import type { Output } from '@turnwright/base/async/batch-output.ts';
import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { LoopMessage, ViewMessage } from '../../protocol/model/messages.ts';
import {
  type CallModel,
  type CallOptions,
  FRESH_RETRY_STATE,
  type ModelOutcome,
  type ModelRequest,
} from '../../protocol/model/model.ts';
import { roughPromptTokens, UsageMeter } from '../../protocol/model/usage.ts';
import type { BlockDelta, OtherBlock, StreamEvent } from '../../protocol/model/wire.ts';
import type { Ledger } from '../../protocol/ports.ts';
import { notice, type Stamp, syntheticMessage } from '../notices.ts';
import { extractSummary } from './summary-prompt.ts';

interface SummariseInput {
  readonly messages: readonly ViewMessage[];
  readonly model: string;
  /** The instruction, as the last user message. */
  readonly instruction: string;
  /** Output cap, at most the main request's. */
  readonly maxTokens?: number;
  /** Unique within the submission; each call under it gets an ordinal. */
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

export type SummariseOutcome =
  | { readonly kind: 'summary'; readonly text: string }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'aborted' };

/** Emits messages for the consumer (retries). Expected failures are values. */
export type Summarise = (input: SummariseInput, output: Output<LoopMessage>) => Promise<SummariseOutcome>;

/** The main request's parts, so that the compaction hits its prompt cache (L2.6). */
export type RequestBase = Pick<ModelRequest, 'sessionId' | 'foreground' | 'system' | 'tools' | 'maxTokens'> &
  Partial<Pick<ModelRequest, 'userContext' | 'thinking' | 'effort' | 'speed' | 'betas' | 'cache'>>;

interface SummariserOptions extends Stamp {
  readonly callModel: CallModel;
  readonly ledger: Ledger;
  readonly mainRequest: (model: string) => RequestBase | Promise<RequestBase>;
  /** The provider of this model makes summaries itself. Default no model's does. */
  readonly providerSummarises?: (model: string) => boolean;
}

/** Maximum calls: an empty summary is requested again, and so is one whose stream broke. */
const MAX_CALLS = 3;

export function createSummarise(options: SummariserOptions): Summarise {
  return async function summarise(input, output) {
    let retry = FRESH_RETRY_STATE;
    let after: CallOptions['after'];
    let blank = false;
    let last: ModelFailure = { kind: 'unknown', message: 'No summary was made.' };
    let byProvider = options.providerSummarises?.(input.model) === true;
    let request = await compactionRequest(options, input, byProvider);
    const most = byProvider ? MAX_CALLS + 1 : MAX_CALLS;
    for (let n = 1; n <= most; n++) {
      const effectKey = `${input.effectKey}/${n}`;
      const call = { signal: input.signal, retry, ...(after !== undefined && { after }) };
      const answer = await ask({ ...request, effectKey }, call, options, output);
      const { outcome } = answer;
      const isUnmade = byProvider && outcome.kind === 'complete' && answer.compaction === '';
      if (answer.meter.usage !== undefined) {
        const wasted = outcome.kind !== 'complete' || isUnmade;
        options.ledger.settle({
          model: input.model,
          effectKey,
          usage: answer.meter.charged({
            outputChars: answer.text.length + answer.compaction.length,
            promptTokens: () => roughPromptTokens(request),
            ended: !wasted,
            maxTokens: request.maxTokens,
          }),
          main: false,
          querySource: request.querySource,
          ...(wasted && { wasted }),
        });
      }
      // One that does not know how, or has made none, is asked as every other model is.
      if (isUnmade || (byProvider && isRefused(outcome))) {
        byProvider = false;
        request = await compactionRequest(options, input, byProvider);
        continue;
      }
      switch (outcome.kind) {
        case 'aborted':
        case 'parked': // only where `isTooLong` was given
          return { kind: 'aborted' };
        case 'failed':
          return { kind: 'failed', failure: outcome.failure };
        case 'broken':
          last = outcome.failure;
          retry = outcome.retry;
          after = { failure: outcome.failure, immediate: false };
          continue;
        case 'complete': {
          if (byProvider) return { kind: 'summary', text: answer.compaction };
          const text = answer.stopReason === 'refusal' ? '' : extractSummary(answer.text);
          if (text !== '') return { kind: 'summary', text };
          last = { kind: 'protocol', message: 'The model answered the request for a summary with nothing.' };
          if (blank) return { kind: 'failed', failure: last };
          blank = true;
          after = undefined;
        }
      }
    }
    return { kind: 'failed', failure: last };
  };
}

const isRefused = (outcome: ModelOutcome): boolean =>
  outcome.kind === 'failed' && outcome.failure.kind === 'invalid_request';

async function compactionRequest(
  options: SummariserOptions,
  input: SummariseInput,
  byProvider: boolean,
): Promise<ModelRequest> {
  const base = await options.mainRequest(input.model);
  return {
    ...base,
    maxTokens: Math.min(base.maxTokens, input.maxTokens ?? base.maxTokens),
    querySource: 'compact',
    effectKey: input.effectKey,
    model: input.model,
    view: PersistentList.from(
      byProvider
        ? input.messages
        : [...input.messages, syntheticMessage(options, 'nudge', input.instruction)],
    ),
    ...(byProvider && { summarises: true }),
    stream: true,
  };
}

/** A compaction without content has failed. */
const summaryIn = ({ content }: OtherBlock | Extract<BlockDelta, { type: 'compaction_delta' }>): string =>
  typeof content === 'string' ? content : '';

interface Answer {
  readonly outcome: ModelOutcome;
  readonly text: string;
  /** The summary of a provider that made one. */
  readonly compaction: string;
  readonly stopReason: string | null;
  readonly meter: UsageMeter;
}

async function ask(
  request: ModelRequest,
  call: CallOptions,
  stamp: SummariserOptions,
  output: Output<LoopMessage>,
): Promise<Answer> {
  let text = '';
  let compaction = '';
  let stopReason: string | null = null;
  const meter = new UsageMeter();
  const take = (event: StreamEvent) => {
    switch (event.type) {
      case 'message_start':
        text = '';
        compaction = '';
        meter.begin(event.message.usage);
        return;
      case 'content_block_start':
        if (event.content_block.type === 'text') text += event.content_block.text;
        if (event.content_block.type === 'compaction') compaction += summaryIn(event.content_block);
        return;
      case 'content_block_delta':
        if (event.delta.type === 'text_delta') text += event.delta.text;
        if (event.delta.type === 'compaction_delta') compaction += summaryIn(event.delta);
        return;
      case 'message_delta':
        stopReason = event.delta.stop_reason;
        meter.add(event.usage);
    }
  };

  const run = stamp.callModel(request, call);
  try {
    for (;;) {
      const next = await run.next();
      if (next.done) return { outcome: next.value, text, compaction: compaction.trim(), stopReason, meter };
      if (next.value.kind === 'events') next.value.events.forEach(take);
      if (next.value.kind === 'retry') {
        const { attempt, maxRetries, delayMs, status, error, cause } = next.value.notice;
        await output.emit([
          notice(stamp, {
            subtype: 'api_retry',
            attempt,
            max_retries: maxRetries,
            retry_delay_ms: delayMs,
            error_status: status,
            error,
            error_message: cause,
          }),
        ]);
      }
    }
  } finally {
    // Also reached when the consumer leaves early: the call must not outlive it.
    await run.return({ kind: 'aborted', retry: call.retry, attempts: [] });
  }
}
