/**
 * One pass through the loop's body: its scope, its records in the journal, the ids of its effects, and its
 * decision record.
 */

import type { Output } from '@turnwright/base/async/batch-output.ts';
import { openScope, type Scope } from '@turnwright/base/async/scope.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { AssistantMessage, AttachmentMessage, LoopMessage } from '../protocol/model/messages.ts';
import type { JournalBody } from '../protocol/session/journal.ts';
import { DecisionTrace } from './decision-trace.ts';
import type { LoopDeps, LoopParams } from './deps.ts';
import type { State } from './state.ts';
import { ToolRun } from './tool-run.ts';

/**
 * Messages that are recorded before they are emitted (L10.8). The others are streams, progress and notices.
 */
type Recorded = Extract<LoopMessage, { type: 'user' | 'assistant' | 'attachment' | 'system' }>;

export class Iteration {
  readonly params: LoopParams;
  readonly deps: LoopDeps;
  /** Where its messages go. */
  readonly output: Output<LoopMessage>;
  /** Position in the submission, from 1. */
  readonly number: number;
  /** The stream and foreground tools end with it. */
  readonly scope: Scope;
  readonly tools: ToolRun;
  readonly trace: DecisionTrace;
  #attempt: number;
  /** Queued prompts that joined the conversation, until the next turn is certain. */
  #joined: readonly string[] = [];

  constructor(state: State, params: LoopParams, deps: LoopDeps, output: Output<LoopMessage>) {
    this.params = params;
    this.deps = deps;
    this.output = output;
    this.number = state.iteration;
    this.#attempt = params.attemptBase ?? 0;
    this.scope = openScope(params.scope);
    this.trace = new DecisionTrace(state, params, deps);
    this.tools = new ToolRun(params, deps, this.scope, this.trace, state.iteration);
  }

  get signal(): AbortSignal {
    return this.scope.signal;
  }

  /**
   * Why the caller aborted the submission; undefined while it did not. The iteration's own scope is open
   * while rules run.
   */
  get abortReason(): string | undefined {
    const { scope } = this.params;
    if (!scope.aborted) return undefined;
    const { signal } = scope;
    return typeof signal.reason === 'string' ? signal.reason : 'user';
  }

  /**
   * Number of the current attempt at the request; 0, or the attempts of earlier processes, before the first.
   */
  get attempt(): number {
    return this.#attempt;
  }

  startAttempt(): void {
    this.#attempt += 1;
  }

  id(kind: string): string {
    return `${this.params.submission}/${this.number}/${this.#attempt}/${kind}`;
  }

  /** undefined: the entries are written. */
  record(...bodies: JournalBody[]): Promise<void> | undefined {
    return this.deps.recorder.append(bodies);
  }

  recordMessage(message: Recorded): Promise<void> | undefined {
    return this.record(this.#bodyOf(message));
  }

  /** The message is written in front of the next `record`, whichever part of the engine makes it. */
  recordLater(message: Recorded): void {
    this.deps.recorder.later([this.#bodyOf(message)]);
  }

  #bodyOf(message: Recorded): JournalBody {
    const { submission } = this.params;
    return message.type === 'assistant'
      ? { ...message, submission, iteration: this.number }
      : { ...message, submission };
  }

  /** Records the message, then emits it. */
  async emit<M extends Recorded>(message: M): Promise<M> {
    await this.recordMessage(message);
    await this.output.emit([message]);
    return message;
  }

  /**
   * As `emit`. A queued prompt is retracted at the end of the iteration unless `acknowledgeJoined` is called.
   */
  async emitAttachment(message: AttachmentMessage): Promise<AttachmentMessage> {
    if (message.attachment.type === 'queued_command') this.#joined = [...this.#joined, message.uuid];
    return this.emit(message);
  }

  /** The queued prompts that joined as attachments have left the queue (L6). */
  acknowledgeJoined(): void {
    this.#joined = [];
  }

  /** Retracts emitted messages of this response; the journal keeps them and the retraction. */
  async retract(
    messages: readonly AssistantMessage[],
    reason: 'superseded' | 'fallback' | 'escalated' | 'unusable',
  ): Promise<void> {
    if (messages.length === 0) return;
    const uuids = messages.map((message) => message.uuid);
    await this.#recordRetraction(uuids, reason);
    const { ids, clock } = this.deps;
    const stamp = { uuid: ids.uuid(), timestamp: isoTime(clock.nowMs()) };
    await this.output.emit([{ type: 'tombstone', uuids, reason, ...stamp }]);
  }

  #recordRetraction(uuids: readonly string[], reason: string): Promise<void> | undefined {
    const { submission } = this.params;
    const id = this.id(`retract/${uuids[0]}`);
    return this.record({ type: 'retract', id, submission, uuids, reason });
  }

  /** Ends what the iteration opened, records results that no stage took, and writes the decision record. */
  async close(): Promise<void> {
    if (this.tools.open > 0) await this.tools.abort();
    await this.scope.close();
    const recording = this.tools.recordLeft();
    if (recording !== undefined) await recording;
    // A stop leaves the queue as it was: a prompt that joined is delivered again, and must not be in the view
    // twice.
    if (this.#joined.length > 0) await this.#recordRetraction(this.#joined, 'superseded')?.catch(() => {});
    this.trace.write(this.id('decision'));
  }
}
