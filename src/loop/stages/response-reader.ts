/** Turns one answer's events into finished blocks: record, start, yield, in this order (L4.1). */
import type { AssistantMessage, LoopMessage } from '../../protocol/messages.ts';
import type { ModelOutcome, ModelOutput, ModelRequest } from '../../protocol/model.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { type AssistantBlock, EMPTY_USAGE, type StreamEvent, type Usage } from '../../protocol/wire.ts';
import type { Iteration } from '../iteration.ts';
import { contextTokens, emptyResponse } from '../response.ts';
import { systemMessage } from '../say.ts';
import { BlockBuilder } from './block-builder.ts';

/** The output cap is a fact about the last block alone: it may have been cut in two. */
const CUT_REASONS = new Set<string | null>(['max_tokens', 'model_context_window_exceeded']);

/** Transitions whose iteration asks with an edited view. */
const RECOVERIES = new Set<string>(['collapse_drain_retry', 'reactive_compact_retry']);

export class ResponseReader {
  readonly #request: ModelRequest;
  readonly #iteration: Iteration;
  #open: BlockBuilder | undefined;
  /** A finished call whose input is empty or does not parse: whether it was cut is known when more follows, or at the end. */
  #held: BlockBuilder | undefined;

  constructor(request: ModelRequest, iteration: Iteration) {
    this.#request = request;
    this.#iteration = iteration;
    iteration.response = emptyResponse(request.model);
  }

  async *take(output: ModelOutput): AsyncGenerator<LoopMessage, void> {
    const it = this.#iteration;
    switch (output.kind) {
      case 'attempt':
        it.attempt += 1;
        await it.record({
          type: 'request',
          id: it.id('request'),
          submission: it.params.submission,
          iteration: it.state.iteration,
          attempt: it.attempt,
          model: this.#request.model,
          maxTokens: output.maxTokens,
          querySource: this.#request.querySource,
        });
        it.trace.request = {
          ...it.trace.request,
          model: this.#request.model,
          maxTokens: output.maxTokens,
          bytes: output.bytes,
        };
        yield { type: 'stream_request_start', iteration: it.state.iteration };
        return;
      case 'retry': {
        const { notice } = output;
        yield* it.say(
          systemMessage(it.deps, {
            subtype: 'api_retry',
            attempt: notice.attempt,
            max_retries: notice.maxRetries,
            retry_delay_ms: notice.delayMs,
            error_status: notice.status,
            error: notice.error,
          }),
        );
        return;
      }
      case 'events':
        for (const event of output.events) yield* this.#takeEvent(event, output.ttftMs);
        return;
    }
  }

  /** The answer is over, one way or another: what is still open is kept, dropped or marked. */
  async *end(outcome: ModelOutcome): AsyncGenerator<LoopMessage, void> {
    const { response } = this.#iteration;
    response.requestId = outcome.requestId ?? response.requestId;
    if (outcome.kind === 'aborted' && this.#open?.type === 'text')
      yield* this.#finish(this.#open, { aborted: true });
    if (outcome.kind !== 'complete' && response.messageId !== undefined)
      await this.#settle(outcome.kind === 'broken');
  }

  /** Nobody reads on. Its usage counts as far as it was reported (L4.3); no effect when it was settled. */
  async abandon(): Promise<void> {
    if (this.#iteration.response.messageId === undefined) return;
    await this.#settle(false).catch(() => {}); // fenced or no disk: the ledger has it all the same
  }

  async *#takeEvent(event: StreamEvent, ttftMs: number | undefined): AsyncGenerator<LoopMessage, void> {
    const { response, params } = this.#iteration;
    const { model } = this.#request;
    switch (event.type) {
      case 'message_start':
        response.messageId = event.message.id;
        response.model = event.message.model;
        response.usage = { ...EMPTY_USAGE, ...event.message.usage };
        yield { type: 'stream_event', event, model, ...(ttftMs === undefined ? {} : { ttftMs }) };
        return;
      case 'content_block_start':
        if (this.#held !== undefined) yield* this.#release({ cut: false });
        this.#open = new BlockBuilder(event.content_block);
        break;
      case 'content_block_delta':
        response.outputChars += this.#open?.append(event.delta) ?? 0;
        break;
      case 'content_block_stop': {
        const block = this.#open;
        this.#open = undefined;
        if (block?.mayBeCut) this.#held = block;
        else if (block !== undefined) yield* this.#finish(block);
        break;
      }
      case 'message_delta':
        response.stopReason = event.delta.stop_reason ?? response.stopReason;
        response.appliedEdits = event.context_management ?? response.appliedEdits;
        if (event.usage !== undefined) response.usage = { ...response.usage, ...defined(event.usage) };
        if (this.#held !== undefined && response.stopReason !== null)
          yield* this.#release({ cut: CUT_REASONS.has(response.stopReason) });
        yield { type: 'stream_event', event, model };
        return;
      case 'message_stop':
        if (this.#held !== undefined) yield* this.#release({ cut: false });
        response.ended = true;
        await this.#settle(false);
        yield { type: 'stream_event', event, model };
        yield* this.#announceAppliedEdits();
        yield* this.#announceCacheBreak();
        return;
      case 'ping':
        break;
    }
    if (params.includePartialMessages) yield { type: 'stream_event', event, model };
  }

  async *#release(how: { readonly cut: boolean }): AsyncGenerator<LoopMessage, void> {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    const { response } = this.#iteration;
    // A cut call that stands alone was never shown and never runs: the rule about the output cap asks again.
    if (how.cut && response.calls.length === 0) return;
    response.cutBesideTools ||= how.cut;
    yield* this.#finish(held, { cut: how.cut });
  }

  async *#finish(
    builder: BlockBuilder,
    how: { readonly aborted?: boolean; readonly cut?: boolean } = {},
  ): AsyncGenerator<LoopMessage, void> {
    const it = this.#iteration;
    const { block: raw, unparsed } = builder.finish(how.cut === true);
    if (raw === undefined) return;
    const block = this.#withOwnId(raw);
    const message = this.#message(block, how.aborted === true);
    it.response.messages.push(message);
    const call: ToolCall | undefined =
      block.type === 'tool_use'
        ? {
            block,
            assistantUuid: message.uuid,
            effectKey: it.id(`tool/${block.id}`),
            ...(unparsed === undefined ? {} : { unparsed }),
          }
        : undefined;
    if (call !== undefined) it.response.calls.push(call);
    await it.recordMessage(message);
    if (call !== undefined) it.executor.add(call);
    yield call === undefined ? message : observed(message, it);
    if (call !== undefined) it.executor.delivered(call.block.id);
  }

  /** Two calls of one answer with one id, or a call without any, get ids of their own before they are on record (F06). */
  #withOwnId(block: AssistantBlock): AssistantBlock {
    if (block.type !== 'tool_use') return block;
    const taken =
      block.id === '' || this.#iteration.response.calls.some((call) => call.block.id === block.id);
    return taken ? { ...block, id: `toolu_${this.#iteration.deps.ids.uuid().replaceAll('-', '')}` } : block;
  }

  #message(block: AssistantBlock, aborted: boolean): AssistantMessage {
    const { deps, response } = this.#iteration;
    return Object.freeze({
      type: 'assistant' as const,
      uuid: deps.ids.uuid(),
      timestamp: new Date(deps.clock.nowMs()).toISOString(),
      message: {
        id: response.messageId ?? '',
        type: 'message' as const,
        role: 'assistant' as const,
        model: response.model,
        content: [block],
        stop_reason: null,
        stop_sequence: null,
        usage: response.usage,
      },
      ...(response.requestId === undefined ? {} : { requestId: response.requestId }),
      ...(aborted ? { aborted: true as const } : {}),
    });
  }

  /** The deferred boundary of a cached microcompact: said when the API says how much it cleared. */
  async *#announceAppliedEdits(): AsyncGenerator<LoopMessage, void> {
    const { deps, response } = this.#iteration;
    if (response.appliedEdits === undefined) return;
    const body = deps.context.appliedEdits?.(response.appliedEdits);
    if (body !== undefined) yield* this.#iteration.say(systemMessage(deps, body));
  }

  async *#announceCacheBreak(): AsyncGenerator<LoopMessage, void> {
    const { deps, params, trace } = this.#iteration;
    const found = trace.cache?.break;
    if (found === undefined || params.showCacheBreaks !== true) return;
    const content = `The prompt cache was missed for ${found.tokens} tokens: ${found.why}.`;
    yield* this.#iteration.say(systemMessage(deps, { subtype: 'informational', level: 'info', content }));
  }

  /** The response's end on record, and its usage in the ledger: once per attempt. */
  async #settle(broken: boolean): Promise<void> {
    const it = this.#iteration;
    const { response, deps, params } = it;
    if (response.settled) return;
    response.settled = true;
    if (!response.ended) response.usage = withEstimate(response.usage, response.outputChars);
    const { usage } = response;
    const costUsd = deps.ledger.settle({
      model: this.#request.model,
      effectKey: it.id('model'),
      usage,
      main: true,
      ...(broken ? { wasted: true } : {}),
    });
    it.trace.costUsd += costUsd;
    if (broken) it.trace.wastedCostUsd += costUsd;
    deps.onUsage?.(usage, this.#request.model);
    if (response.ended) this.#learnFrom(usage);
    await it.record({
      type: 'response',
      id: it.id('response'),
      submission: params.submission,
      iteration: it.state.iteration,
      messageId: response.messageId ?? '',
      stopReason: response.stopReason,
      usage,
      costUsd,
      ...(response.ended ? {} : { broken: true }),
      ...(response.requestId === undefined ? {} : { requestId: response.requestId }),
    });
  }

  /** What the request really cost, beside what was thought; and whether its prefix was found in the prompt cache. */
  #learnFrom(usage: Usage): void {
    const { deps, trace } = this.#iteration;
    const reported = contextTokens(usage) - usage.output_tokens;
    const estimated = deps.context.measure?.(this.#request).tokens ?? trace.tokens;
    deps.context.calibrate?.(estimated, reported, this.#request.model);
    const { transition } = this.#iteration.state;
    const recovery = transition !== undefined && RECOVERIES.has(transition.reason) ? [transition.reason] : [];
    trace.cache = deps.cacheWatch?.answered(this.#request, usage, [...recovery, ...trace.editedBy]);
  }
}

/** Observers may see derived input fields; the message bound for the API is another object and stays as it is. */
function observed(message: AssistantMessage, { deps }: Iteration): AssistantMessage {
  const [block] = message.message.content;
  if (block?.type !== 'tool_use') return message;
  const filled = deps.tools.backfill(block);
  return filled === block ? message : { ...message, message: { ...message.message, content: [filled] } };
}

/** An answer that broke off never said what it cost: about four characters a token. */
function withEstimate(usage: Usage, outputChars: number): Usage {
  return { ...usage, output_tokens: Math.max(usage.output_tokens, Math.ceil(outputChars / 4)) };
}

/** Cumulative values replace; what a delta does not name stays. */
function defined(usage: Partial<Usage>): Partial<Usage> {
  return Object.fromEntries(
    Object.entries(usage).filter(([, value]) => value !== undefined && value !== null),
  ) as Partial<Usage>;
}
