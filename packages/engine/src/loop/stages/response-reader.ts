/** Turns one response's events into finished blocks: record, start, yield, in this order (L4.1). */
import type { AssistantMessage, LoopBatch, LoopMessage } from '../../protocol/model/messages.ts';
import type { ModelOutcome, ModelOutput, ModelRequest } from '../../protocol/model/model.ts';
import { UsageMeter } from '../../protocol/model/usage.ts';
import type { StreamEvent, ToolUseBlock } from '../../protocol/model/wire.ts';
import type { Iteration } from '../iteration.ts';
import { emptyResponse, type ResponseSoFar } from '../response.ts';
import type { Prepared } from '../stage-output.ts';
import { BlockBuilder } from './block-builder.ts';
import { blockMessage, otherFields, readThinkingDisplay } from './block-message.ts';
import { callFacts } from './observed-call.ts';
import { addNotices, settleResponse, withEnd } from './settle-response.ts';

/** Stop reasons that truncate the response: only its last block can be incomplete. */
const CUT_REASONS = new Set<string | null>(['max_tokens', 'model_context_window_exceeded']);

/** Events that begin and end a response. */
const MILESTONES = new Set<string>(['message_start', 'message_delta', 'message_stop']);

type Events = Extract<ModelOutput, { kind: 'events' }>;

export class ResponseReader {
  readonly response: ResponseSoFar;
  readonly #request: ModelRequest;
  readonly #prepared: Prepared;
  readonly #meter = new UsageMeter();
  readonly #iteration: Iteration;
  #open: BlockBuilder | undefined;
  /** A finished call whose input is empty or does not parse: it may have been truncated. */
  #held: BlockBuilder | undefined;
  /** What was taken since `start` was last called. */
  #batch: LoopMessage[] = [];
  /** Whether blocks were finished since `#start` was last called. */
  #finished = false;
  /** Finished blocks that are not queued yet: the same read may contain the end of the response. */
  readonly #unrecorded: AssistantMessage[] = [];
  /** Number of calls of the response that were started. */
  #started = 0;
  /** Calls whose blocks were emitted, and that the consumer may not have received yet. */
  readonly #undelivered: string[] = [];

  constructor(request: ModelRequest, prepared: Prepared, iteration: Iteration) {
    this.#request = request;
    this.#prepared = prepared;
    this.#iteration = iteration;
    this.response = emptyResponse(request.model);
  }

  /** Takes the events of one read. The messages that `start` returns next begin with them. */
  take({ events, ttftMs }: Events): void {
    const batch = this.#batch;
    let from = 0;
    for (let at = 0; at < events.length; at++) {
      const event = events[at] as StreamEvent;
      if (this.#isEnding(event)) {
        this.#passOn(events.slice(from, at), ttftMs, batch);
        from = at;
        this.#takeEnding(event, batch);
      } else this.#takeIn(event);
    }
    this.#passOn(from === 0 ? events : events.slice(from), ttftMs, batch);
  }

  /** A call is complete, and what was read does not say yet whether its response ends as a refusal. */
  get mayBeRefused(): boolean {
    const { calls, stopReason, ended } = this.response;
    return calls.length > this.#started && stopReason === null && !ended;
  }

  /**
   * The messages of what was taken. Blocks among them are recorded and their calls started (L4.1); once the
   * consumer has them, `delivered` lets these calls ask hooks and hosts.
   */
  start(): LoopBatch | Promise<LoopBatch> {
    const batch = this.#batch;
    this.#batch = [];
    const recording = this.#start();
    const withNotices = () => addNotices(batch, this.response, this.#iteration, this.#request);
    return recording === undefined ? withNotices() : recording.then(withNotices);
  }

  /**
   * Queues finished blocks for the journal before their calls start: a call that starts immediately has block
   * and intent in one write. The calls of a refusal do not start, and those that run are stopped.
   */
  #start(): Promise<void> | undefined {
    const it = this.#iteration;
    const { response } = this;
    if (this.#mayBeAskedElsewhere)
      response.held = [...response.held, ...response.calls.splice(this.#started)];
    if (response.stopReason === 'refusal' && response.calls.length > 0) it.tools.refuse();
    if (!this.#finished) return undefined;
    this.#finished = false;
    this.#record();
    for (const call of response.calls.slice(this.#started)) {
      it.tools.start(call);
      this.#undelivered.push(call.block.id);
    }
    this.#started = response.calls.length;
    return it.record();
  }

  /** A refusal that another model may take over for: what has not started is kept from it. */
  get #mayBeAskedElsewhere(): boolean {
    return this.response.stopReason === 'refusal' && this.#request.fallsBackOn?.includes('refusal') === true;
  }

  /**
   * Queues finished blocks for the journal. Returns whether the response has ended, so that its last block
   * holds its usage.
   */
  #record(): boolean {
    const it = this.#iteration;
    const { response } = this;
    const blocks = this.#unrecorded.splice(0);
    const last = response.ended ? blocks.pop() : undefined;
    for (const block of blocks) it.recordLater(block);
    if (last !== undefined) it.recordLater(withEnd(last, response));
    return last !== undefined;
  }

  /** The consumer has the batch that `take` returned. */
  delivered(): void {
    for (const id of this.#undelivered.splice(0)) this.#iteration.tools.delivered(id);
  }

  /**
   * The engine reads usage and budgets from the first and last events of a response; the others are for
   * consumers that want them.
   */
  #passOn(events: readonly StreamEvent[], ttftMs: number | undefined, batch: LoopMessage[]): void {
    const shown = this.#iteration.params.includePartialMessages
      ? events
      : events.filter(({ type }) => MILESTONES.has(type));
    if (shown.length === 0) return;
    const timed = ttftMs !== undefined && shown[0]?.type === 'message_start' ? { ttftMs } : {};
    const thinkingDisplay = readThinkingDisplay(this.#request);
    const form = thinkingDisplay === undefined ? {} : { thinkingDisplay };
    batch.push({ type: 'stream_events', events: shown, model: this.#request.model, ...timed, ...form });
  }

  #isEnding({ type }: StreamEvent): boolean {
    if (type === 'content_block_stop' || type === 'message_stop') return true;
    return this.#held !== undefined && (type === 'content_block_start' || type === 'message_delta');
  }

  #takeIn(event: StreamEvent): void {
    const { response } = this;
    switch (event.type) {
      case 'message_start':
        response.messageId = event.message.id;
        response.model = event.message.model;
        response.usage = this.#meter.begin(event.message.usage);
        response.more = otherFields(event.message);
        break;
      case 'content_block_start':
        this.#open = new BlockBuilder(event.content_block, this.#iteration.deps.clock.monotonicMs());
        break;
      case 'content_block_delta':
        response.outputChars += this.#open?.append(event.delta) ?? 0;
        break;
      case 'message_delta':
        this.#learnEnd(event);
        break;
    }
  }

  /** Ends a response whose last event is missing: an open block is kept, dropped or marked. */
  async end(outcome: Exclude<ModelOutcome, { kind: 'complete' }>): Promise<LoopBatch> {
    const { response } = this;
    const batch: LoopMessage[] = [];
    response.requestId = outcome.requestId ?? response.requestId;
    if (outcome.kind === 'aborted' && this.#open?.type === 'text')
      this.#finish(this.#open, batch, { aborted: true });
    await this.#start();
    if (response.messageId !== undefined) this.#settle({ broken: outcome.kind === 'broken' });
    return batch;
  }

  /**
   * The response is not read any further. Usage counts as far as it was reported (L4.3); no effect once it
   * was settled.
   */
  abandon(): void {
    if (this.response.messageId !== undefined) this.#settle({});
  }

  #settle(how: Parameters<typeof settleResponse>[1]): void {
    const { response } = this;
    if (!response.ended && !response.settled) this.#charge();
    settleResponse(
      { response, request: this.#request, prepared: this.#prepared, iteration: this.#iteration },
      how,
    );
  }

  /** Estimates what the response has used and did not report, before its last block is recorded with it. */
  #charge(): void {
    const { response } = this;
    response.usage = this.#meter.charged({
      outputChars: response.outputChars,
      promptTokens: () =>
        this.#iteration.deps.context.measure?.(this.#request).tokens ?? this.#prepared.tokens,
      ended: response.ended,
      maxTokens: response.maxTokens ?? this.#request.maxTokens,
    });
  }

  /** An event that ends a block or the response. */
  #takeEnding(event: StreamEvent, batch: LoopMessage[]): void {
    const { response } = this;
    switch (event.type) {
      case 'content_block_stop': {
        const block = this.#open;
        this.#open = undefined;
        if (block?.mayBeCut) this.#held = block;
        else if (block !== undefined) this.#finish(block, batch);
        return;
      }
      case 'message_delta':
        this.#takeIn(event);
        if (response.stopReason !== null) this.#release(batch, { cut: CUT_REASONS.has(response.stopReason) });
        return;
      case 'message_stop':
        this.#release(batch, { cut: false });
        response.ended = true;
        this.#charge();
        this.#settle({
          usageRecorded: this.#record(),
          broken: this.#mayBeAskedElsewhere && this.#started === 0,
        });
        return;
      default:
        this.#release(batch, { cut: false });
        this.#takeIn(event);
    }
  }

  #learnEnd(event: Extract<StreamEvent, { type: 'message_delta' }>): void {
    const { response } = this;
    response.stopReason = event.delta.stop_reason ?? response.stopReason;
    response.stopDetails = event.delta.stop_details ?? response.stopDetails;
    response.appliedEdits = event.context_management ?? response.appliedEdits;
    response.usage = this.#meter.add(event.usage);
  }

  #release(batch: LoopMessage[], how: { readonly cut: boolean }): void {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    const { response } = this;
    // A truncated call without complete ones was never emitted and never runs: the rule about the output cap
    // asks again.
    if (how.cut && response.calls.length === 0) return;
    response.cutBesideTools ||= how.cut;
    this.#finish(held, batch, { cut: how.cut });
  }

  #finish(
    builder: BlockBuilder,
    batch: LoopMessage[],
    how: { readonly aborted?: boolean; readonly cut?: boolean } = {},
  ): void {
    const it = this.#iteration;
    const { block: raw, unparsed } = builder.finish(how.cut === true);
    if (raw === undefined) return;
    const block = raw.type === 'tool_use' ? this.#withOwnId(raw) : raw;
    const facts = block.type === 'tool_use' ? callFacts(block, it.deps.tools) : undefined;
    const message = blockMessage(block, builder.startedMs, {
      response: this.response,
      request: this.#request,
      deps: it.deps,
      aborted: how.aborted === true,
      facts,
    });
    this.response.messages.push(message);
    this.#unrecorded.push(message);
    this.#finished = true;
    if (block.type === 'tool_use') {
      const effectKey = it.id(`tool/${block.id}`);
      const call = { block, assistantUuid: message.uuid, effectKey };
      this.response.calls.push(unparsed === undefined ? call : { ...call, unparsed });
    }
    batch.push(message);
  }

  /**
   * A call whose id is missing, or taken by another call of the response, gets an id of its own before it is
   * recorded (F06).
   */
  #withOwnId(block: ToolUseBlock): ToolUseBlock {
    const taken = block.id === '' || this.response.calls.some((call) => call.block.id === block.id);
    return taken ? { ...block, id: `toolu_${this.#iteration.deps.ids.uuid().replaceAll('-', '')}` } : block;
  }
}
