/** Turns one answer's events into finished blocks: record, start, yield, in this order (L4.1). */
import type { AssistantMessage, LoopMessage, SystemBody, ThoughtFacts } from '../../protocol/messages.ts';
import type { ModelOutcome, ModelOutput, ModelRequest } from '../../protocol/model.ts';
import {
  type AssistantBlock,
  EMPTY_USAGE,
  type StreamEvent,
  type ToolUseBlock,
  type Usage,
} from '../../protocol/wire.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { Iteration } from '../iteration.ts';
import { emptyResponse } from '../response.ts';
import { systemMessage } from '../say.ts';
import { BlockBuilder } from './block-builder.ts';
import { settleResponse, withEnd } from './settle-response.ts';

/** The output cap is a fact about the last block alone: it may have been cut in two. */
const CUT_REASONS = new Set<string | null>(['max_tokens', 'model_context_window_exceeded']);

/** Of an answer. */
const MILESTONES = new Set<string>(['message_start', 'message_delta', 'message_stop']);

type Events = Extract<ModelOutput, { kind: 'events' }>;

export class ResponseReader {
  readonly #request: ModelRequest;
  readonly #iteration: Iteration;
  #open: BlockBuilder | undefined;
  /** A finished call whose input is empty or does not parse: whether it was cut is known when more follows, or at the end. */
  #held: BlockBuilder | undefined;
  /** Blocks are finished whose record nobody has waited for. */
  #finished = false;
  /** Of these, what is not in line for the journal yet: the same read may tell how the answer ended. */
  readonly #unrecorded: AssistantMessage[] = [];
  /** How many of the answer's calls were handed to the executor. */
  #started = 0;
  /** Calls whose blocks were said, and may not have been taken yet. */
  readonly #undelivered: string[] = [];

  constructor(request: ModelRequest, iteration: Iteration) {
    this.#request = request;
    this.#iteration = iteration;
    iteration.response = emptyResponse(request.model);
  }

  /**
   * Takes the events of one read. What they have to say is on record and started by then (L4.1); once the consumer has
   * it, `delivered` lets the calls in it take their outward steps.
   */
  take({ events, ttftMs }: Events): readonly LoopMessage[] | Promise<readonly LoopMessage[]> {
    const said: LoopMessage[] = [];
    let from = 0;
    for (let at = 0; at < events.length; at++) {
      const event = events[at] as StreamEvent;
      if (this.#isEnding(event)) {
        this.#passOn(events.slice(from, at), ttftMs, said);
        from = at;
        this.#takeEnding(event, said);
      } else this.#takeIn(event);
    }
    this.#passOn(from === 0 ? events : events.slice(from), ttftMs, said);
    const recording = this.#start();
    return recording === undefined ? this.#withNews(said) : recording.then(() => this.#withNews(said));
  }

  /** What is told behind the end of an answer. */
  #withNews(said: LoopMessage[]): readonly LoopMessage[] | Promise<readonly LoopMessage[]> {
    const { response, params } = this.#iteration;
    if (!response.ended || (response.appliedEdits === undefined && params.showCacheBreaks !== true))
      return said;
    return this.#announce(this.#news(), said).then(() => said);
  }

  /** What this read finished stands first in line for the journal: a call that starts at once has it in one write with its intent. */
  #start(): Promise<void> | undefined {
    if (!this.#finished) return undefined;
    const it = this.#iteration;
    this.#finished = false;
    this.#record();
    for (const call of it.response.calls.slice(this.#started)) {
      it.executor.add(call);
      this.#undelivered.push(call.block.id);
    }
    this.#started = it.response.calls.length;
    return it.record();
  }

  /** First in line for the journal. true: the answer has ended by now, and its last block says so. */
  #record(): boolean {
    const it = this.#iteration;
    const { response } = it;
    const blocks = this.#unrecorded.splice(0);
    const last = response.ended ? blocks.pop() : undefined;
    for (const block of blocks) it.recordBehind(block);
    if (last !== undefined) it.recordBehind(withEnd(last, response));
    return last !== undefined;
  }

  /** The consumer has what `take` said. */
  delivered(): void {
    for (const id of this.#undelivered.splice(0)) this.#iteration.executor.delivered(id);
  }

  /** The engine looks at usage and budgets when an answer begins and ends; the rest is for consumers that want it. */
  #passOn(events: readonly StreamEvent[], ttftMs: number | undefined, said: LoopMessage[]): void {
    const shown = this.#iteration.params.includePartialMessages
      ? events
      : events.filter(({ type }) => MILESTONES.has(type));
    if (shown.length === 0) return;
    const timed = ttftMs !== undefined && shown[0]?.type === 'message_start' ? { ttftMs } : {};
    const thinkingDisplay = displayOf(this.#request);
    const form = thinkingDisplay === undefined ? {} : { thinkingDisplay };
    said.push({ type: 'stream_events', events: shown, model: this.#request.model, ...timed, ...form });
  }

  #isEnding({ type }: StreamEvent): boolean {
    if (type === 'content_block_stop' || type === 'message_stop') return true;
    return this.#held !== undefined && (type === 'content_block_start' || type === 'message_delta');
  }

  #takeIn(event: StreamEvent): void {
    const { response } = this.#iteration;
    switch (event.type) {
      case 'message_start':
        response.messageId = event.message.id;
        response.model = event.message.model;
        response.usage = { ...EMPTY_USAGE, ...event.message.usage };
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

  /** The answer is over without having said so: what is still open is kept, dropped or marked. */
  async end(outcome: Exclude<ModelOutcome, { kind: 'complete' }>): Promise<readonly LoopMessage[]> {
    const { response } = this.#iteration;
    const said: LoopMessage[] = [];
    response.requestId = outcome.requestId ?? response.requestId;
    if (outcome.kind === 'aborted' && this.#open?.type === 'text')
      this.#finish(this.#open, said, { aborted: true });
    await this.#start();
    if (response.messageId !== undefined)
      settleResponse(this.#request, this.#iteration, { broken: outcome.kind === 'broken' });
    return said;
  }

  /** Nobody reads on. Its usage counts as far as it was reported (L4.3); no effect when it was settled. */
  abandon(): void {
    if (this.#iteration.response.messageId === undefined) return;
    settleResponse(this.#request, this.#iteration, {});
  }

  /** An event with which a block or the answer ends. */
  #takeEnding(event: StreamEvent, said: LoopMessage[]): void {
    const { response } = this.#iteration;
    switch (event.type) {
      case 'content_block_stop': {
        const block = this.#open;
        this.#open = undefined;
        if (block?.mayBeCut) this.#held = block;
        else if (block !== undefined) this.#finish(block, said);
        return;
      }
      case 'message_delta':
        this.#takeIn(event);
        if (response.stopReason !== null) this.#release(said, { cut: CUT_REASONS.has(response.stopReason) });
        return;
      case 'message_stop':
        if (this.#held !== undefined) this.#release(said, { cut: false });
        response.ended = true;
        settleResponse(this.#request, this.#iteration, { isToldOf: this.#record() });
        return;
      default:
        this.#release(said, { cut: false });
        this.#takeIn(event);
    }
  }

  #learnEnd(event: Extract<StreamEvent, { type: 'message_delta' }>): void {
    const { response } = this.#iteration;
    response.stopReason = event.delta.stop_reason ?? response.stopReason;
    response.appliedEdits = event.context_management ?? response.appliedEdits;
    if (event.usage !== undefined) response.usage = withLater(response.usage, event.usage);
  }

  #release(said: LoopMessage[], how: { readonly cut: boolean }): void {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    const { response } = this.#iteration;
    // A cut call that stands alone was never shown and never runs: the rule about the output cap asks again.
    if (how.cut && response.calls.length === 0) return;
    response.cutBesideTools ||= how.cut;
    this.#finish(held, said, { cut: how.cut });
  }

  #finish(
    builder: BlockBuilder,
    said: LoopMessage[],
    how: { readonly aborted?: boolean; readonly cut?: boolean } = {},
  ): void {
    const it = this.#iteration;
    const { block: raw, unparsed } = builder.finish(how.cut === true);
    if (raw === undefined) return;
    const block = raw.type === 'tool_use' ? this.#withOwnId(raw) : raw;
    const message = this.#message(block, builder, how.aborted === true);
    it.response.messages.push(message);
    this.#unrecorded.push(message);
    this.#finished = true;
    if (block.type === 'tool_use') {
      const effectKey = it.id(`tool/${block.id}`);
      const call = { block, assistantUuid: message.uuid, effectKey };
      it.response.calls.push(unparsed === undefined ? call : { ...call, unparsed });
      said.push(observed(message, block, it));
    } else said.push(message);
  }

  /** Two calls of one answer with one id, or a call without any, get ids of their own before they are on record (F06). */
  #withOwnId(block: ToolUseBlock): ToolUseBlock {
    const taken =
      block.id === '' || this.#iteration.response.calls.some((call) => call.block.id === block.id);
    return taken ? { ...block, id: `toolu_${this.#iteration.deps.ids.uuid().replaceAll('-', '')}` } : block;
  }

  #message(block: AssistantBlock, { startedMs }: BlockBuilder, aborted: boolean): AssistantMessage {
    const { deps, response } = this.#iteration;
    return Object.freeze({
      type: 'assistant' as const,
      uuid: deps.ids.uuid(),
      timestamp: isoTime(deps.clock.nowMs()),
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
      ...(block.type === 'thinking' ? { thought: this.#thought(startedMs) } : {}),
      ...(aborted ? { aborted: true as const } : {}),
    });
  }

  #thought(startedMs: number): ThoughtFacts {
    const durationMs = Math.round(this.#iteration.deps.clock.monotonicMs() - startedMs);
    const display = displayOf(this.#request);
    return display === undefined ? { durationMs } : { durationMs, display };
  }

  /** What the API cleared (the deferred boundary of a cached microcompact) and a missed prompt cache: known at the end. */
  #news(): readonly SystemBody[] {
    const { deps, params, response, trace } = this.#iteration;
    const bodies: SystemBody[] = [];
    const { appliedEdits } = response;
    const cleared = appliedEdits === undefined ? undefined : deps.context.appliedEdits?.(appliedEdits);
    if (cleared !== undefined) bodies.push(cleared);
    const missed = params.showCacheBreaks === true ? trace.cache?.break : undefined;
    if (missed !== undefined) {
      const content = `The prompt cache was missed for ${missed.tokens} tokens: ${missed.why}.`;
      bodies.push({ subtype: 'informational', level: 'info', content });
    }
    return bodies;
  }

  async #announce(news: readonly SystemBody[], said: LoopMessage[]): Promise<void> {
    for (const body of news) {
      const message = systemMessage(this.#iteration.deps, body);
      await this.#iteration.recordMessage(message);
      said.push(message);
    }
  }
}

const displayOf = ({ thinking }: ModelRequest): string | undefined =>
  thinking === undefined || thinking.type === 'disabled' ? undefined : thinking.display;

/** Observers may see derived input fields; the message bound for the API is another object and stays as it is. */
function observed(message: AssistantMessage, block: ToolUseBlock, { deps }: Iteration): AssistantMessage {
  const filled = deps.tools.backfill(block);
  return filled === block ? message : { ...message, message: { ...message.message, content: [filled] } };
}

/** Cumulative values replace; what a delta does not name stays. */
function withLater(usage: Usage, later: Partial<Usage>): Usage {
  const merged: Record<string, unknown> = { ...usage };
  for (const key in later) merged[key] = later[key as keyof Usage] ?? merged[key];
  return merged as unknown as Usage;
}
