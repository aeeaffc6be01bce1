/** One pass through the loop's body: its scope, its executor, and what has happened so far. */
import type { RequestEstimate } from '../protocol/context.ts';
import type { JournalBody } from '../protocol/journal.ts';
import type { AssistantMessage, AttachmentMessage, LoopMessage, UserMessage } from '../protocol/messages.ts';
import type { ToolExecutor, ToolUpdate } from '../protocol/tool.ts';
import type { WireTool } from '../protocol/wire.ts';
import { isoTime } from '../util/iso-time.ts';
import { openScope, type Scope } from '../util/scope.ts';
import { DecisionTrace } from './decision-trace.ts';
import type { LoopDeps, LoopParams } from './deps.ts';
import type { Facts } from './facts.ts';
import { emptyResponse, type ResponseSoFar } from './response.ts';
import type { State } from './state.ts';

/** Messages that are on record before they are shown (L10.8). The others are streams, progress and notices. */
type Recorded = Extract<LoopMessage, { type: 'user' | 'assistant' | 'attachment' | 'system' }>;

export type ResultUpdate = Extract<ToolUpdate, { kind: 'result' }>;

export class Iteration {
  readonly params: LoopParams;
  readonly deps: LoopDeps;
  /** The state as it stands: stage 1 replaces it when a step edited the view. */
  state: State;
  /** Stream and foreground tools die with it. */
  readonly scope: Scope;
  readonly trace: DecisionTrace;
  response: ResponseSoFar;
  /** As they are recorded. */
  results: UserMessage[] = [];
  /** The same as consumers and hooks are told of them: with the whole output. */
  readonly told: UserMessage[] = [];
  attachments: AttachmentMessage[] = [];
  hookContext: string[] = [];
  thrown: { readonly error: unknown } | undefined;
  /** `next_turn` alone sets it: the queued prompts that joined as attachments have left the queue (L6). */
  queueAcknowledged = false;
  deniedWithInterrupt = false;
  endsTurn = false;
  preventContinuation: Facts['preventContinuation'];
  attempt: number;
  /** What stage 1 found the request to cost, by estimate. */
  estimate: RequestEstimate = { tokens: 0, overheadTokens: 0, factor: 1 };
  /** What the model may call, as stage 1 measured it. */
  wireTools: readonly WireTool[] = [];
  /** What stage 1 wants the API to clear on its side (cached microcompact). */
  contextManagement: unknown;
  #executor: ToolExecutor | undefined;
  #updates: ToolUpdate[] = [];

  constructor(state: State, params: LoopParams, deps: LoopDeps) {
    this.params = params;
    this.deps = deps;
    this.state = state;
    this.attempt = params.attemptBase ?? 0;
    this.scope = openScope(params.scope);
    this.response = emptyResponse(state.model.current);
    this.trace = new DecisionTrace(state, params, deps);
  }

  get signal(): AbortSignal {
    return this.scope.signal;
  }

  /** What the caller's abort said, once it did: the iteration's own scope is still open while rules run. */
  get abortReason(): string | undefined {
    const { scope } = this.params;
    if (!scope.aborted) return undefined;
    const { signal } = scope;
    return typeof signal.reason === 'string' ? signal.reason : 'user';
  }

  get executor(): ToolExecutor {
    this.#executor ??= this.#openExecutor();
    return this.#executor;
  }

  #openExecutor(): ToolExecutor {
    const { chainId, depth } = this.params;
    const executor = this.deps.tools.open({
      scope: this.scope,
      iteration: this.state.iteration,
      chainId,
      depth,
    });
    // An abort answers every open call at once; nobody waits for a tool that does not listen.
    this.scope.onAbort(() => void executor.abort('interrupted'));
    return executor;
  }

  /** Whether a tool of this iteration is still open, without making an executor. */
  get openCalls(): number {
    return this.#executor?.open ?? 0;
  }

  /** Drops the executor with everything that runs in it; the next call opens a fresh one. */
  async discardExecutor(): Promise<void> {
    const old = this.#executor;
    this.#executor = undefined;
    await old?.abort('discarded');
    old?.take();
  }

  id(kind: string): string {
    return `${this.params.submission}/${this.state.iteration}/${this.attempt}/${kind}`;
  }

  /** undefined: it is on record already. */
  record(...bodies: JournalBody[]): Promise<void> | undefined {
    return this.deps.recorder.append(bodies);
  }

  recordMessage(message: Recorded): Promise<void> | undefined {
    return this.record(this.#bodyOf(message));
  }

  /** Goes out in front of the next `record`, whoever makes it. */
  recordBehind(message: Recorded): void {
    this.deps.recorder.later([this.#bodyOf(message)]);
  }

  #bodyOf(message: Recorded): JournalBody {
    const { submission } = this.params;
    return message.type === 'assistant'
      ? { ...message, submission, iteration: this.state.iteration }
      : { ...message, submission };
  }

  /** On record first, then shown. */
  async *say<M extends Recorded>(message: M): AsyncGenerator<LoopMessage, M> {
    await this.recordMessage(message);
    yield message;
    return message;
  }

  /** Takes back messages of this response that were shown; the journal keeps both. */
  async *takeBack(
    messages: readonly AssistantMessage[],
    reason: 'superseded' | 'fallback' | 'escalated' | 'unusable',
  ): AsyncGenerator<LoopMessage> {
    if (messages.length === 0) return;
    const uuids = messages.map((message) => message.uuid);
    await this.record({
      type: 'retract',
      id: this.id(`retract/${uuids[0]}`),
      submission: this.params.submission,
      uuids,
      reason,
    });
    yield {
      type: 'tombstone',
      uuids,
      reason,
      uuid: this.deps.ids.uuid(),
      timestamp: isoTime(this.deps.clock.nowMs()),
    };
  }

  facts(): Facts {
    const { response } = this;
    const blocks = response.messages.flatMap((message) => message.message.content);
    const said = blocks.some((block) => block.type !== 'thinking' && block.type !== 'redacted_thinking');
    return {
      abortReason: this.abortReason,
      deniedWithInterrupt: this.deniedWithInterrupt,
      thrown: this.thrown,
      failure: response.failure,
      responseEnded: response.ended,
      stopReason: response.stopReason,
      messages: response.messages,
      calls: response.calls,
      answer: blocks.length === 0 ? 'empty' : said ? 'text' : 'thinking_only',
      outputTokens: response.usage.output_tokens,
      results: this.results,
      attachments: this.attachments,
      preventContinuation: this.preventContinuation,
      endsTurn: this.endsTurn,
      structuredOutputOwed:
        this.params.structuredOutput !== undefined && !this.deps.guard.structuredOutput().accepted,
    };
  }

  /** The next update of a tool, oldest first. One that was taken is the caller's to record. */
  nextUpdate(): ToolUpdate | undefined {
    if (this.#updates.length === 0) this.#updates = this.#executor?.take() ?? [];
    return this.#updates.shift();
  }

  /** Ends what the iteration opened, puts results that nobody took on record, and writes the decision record. */
  async close(): Promise<void> {
    if (this.openCalls > 0) await this.#executor?.abort('interrupted');
    await this.scope.close();
    for (let update = this.nextUpdate(); update !== undefined; update = this.nextUpdate()) {
      if (update.kind !== 'result') continue;
      this.trace.tools.push(update.trace);
      if (update.denial !== undefined) this.deps.onDenial?.(update.denial);
      await this.recordResult(await this.kept(update), update)?.catch(() => {}); // fenced or no disk: resume answers it
    }
    if (this.attachments.length > 0 && !this.queueAcknowledged) await this.#giveBackQueued();
    this.trace.write(this);
  }

  /** A stop leaves the queue whole: what joined as an attachment comes again as a prompt, and must not stand twice. */
  async #giveBackQueued(): Promise<void> {
    const joined = this.attachments.filter(({ attachment }) => attachment.type === 'queued_command');
    if (joined.length === 0) return;
    const uuids = joined.map(({ uuid }) => uuid);
    const { submission } = this.params;
    const id = this.id(`retract/${uuids[0]}`);
    await this.record({ type: 'retract', id, submission, uuids, reason: 'superseded' })?.catch(() => {}); // as above
  }

  /** A call's result as it enters the conversation: what is too large for it stands in a file by then. */
  kept({ message, trace }: ResultUpdate): UserMessage | Promise<UserMessage> {
    return this.deps.context.keepResult?.(message, trace.name) ?? message;
  }

  /** A call's result and what came with it: on record as one. */
  recordResult(result: UserMessage, { extraMessages }: ResultUpdate): Promise<void> | undefined {
    const { submission } = this.params;
    return this.record(...[result, ...extraMessages].map((message) => ({ ...message, submission })));
  }
}

export const openIteration = (state: State, params: LoopParams, deps: LoopDeps): Iteration =>
  new Iteration(state, params, deps);
