/**
 * Runs the calls of one iteration (L5): in the model's order, concurrency-safe neighbours together, any other
 * alone. Every added call gets exactly one result, whatever its tool, its gate or an abort does.
 */

import {
  andThen,
  createResolvable,
  type Resolvable,
  unlessAborted,
} from '@turnwright/base/async/promises.ts';
import { openScope } from '@turnwright/base/async/scope.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { Life } from '../protocol/life.ts';
import type { Wait } from '../protocol/session/parking.ts';
import type { GatePorts } from '../protocol/tools/gate-ports.ts';
import type { AnyTool, ToolContext, ToolProgress } from '../protocol/tools/tool.ts';
import type { AbortWhy, ToolCall, ToolExecutor, ToolUpdate } from '../protocol/tools/tool-call.ts';
import { passGate } from './gate/gate.ts';
import { isConcurrencySafe, type PreparedCall, prepareCall } from './gate/prepared-call.ts';
import {
  type AnsweredOutcome,
  boundedErrorText,
  type CallNotes,
  type CallOutcome,
  errorTypeOf,
} from './outcome.ts';
import { type RunningCall, RunningCalls } from './running-calls.ts';
import type { ToolSet } from './tool-set.ts';
import { type ResultPorts, toolUpdate } from './tool-update.ts';

const MAX_CONCURRENCY = 10;
/** Time that an aborted call may take to end by itself (L1). */
const ABANDON_AFTER_MS = 100;
/** Pending progress messages per call; further ones replace the oldest. */
const MAX_PENDING_PROGRESS = 100;

export interface ToolExecutorOptions extends ResultPorts {
  readonly tools: ToolSet;
  readonly gate: GatePorts;
  makeContext(call: ToolCall, life: Life, delivered: () => Promise<void>): ToolContext;
  /** Receives each context modifier of a tool that is not concurrency-safe, in order. */
  onModifyContext(modify: (context: ToolContext) => ToolContext): void;
  /** Default 10. */
  readonly maxConcurrency?: number;
}

interface Entry extends RunningCall {
  readonly call: ToolCall;
  readonly queuedMs: number;
  readonly notes: CallNotes;
  /** The consumer has taken its block. */
  delivered: boolean;
  onDelivered?: Resolvable<void>;
  prepared?: PreparedCall;
  answered: boolean;
}

export class StreamingToolExecutor implements ToolExecutor {
  readonly #options: ToolExecutorOptions;
  /** By id. */
  readonly #calls = new Map<string, Entry>();
  /** In the model's order. */
  readonly #waiting: Entry[] = [];
  readonly #running: RunningCalls<Entry>;
  #updates: ToolUpdate[] = [];
  #open = 0;
  #wake: Resolvable<void> | undefined;
  #abortedBy: AbortWhy | undefined;
  #aborting: Promise<void> | undefined;
  #allEnded: Resolvable<void> | undefined;

  constructor(options: ToolExecutorOptions) {
    this.#options = options;
    this.#running = new RunningCalls(options.maxConcurrency ?? MAX_CONCURRENCY);
  }

  get open(): number {
    if (!this.#isLeftToWait) return this.#open;
    return this.#open - this.#running.all.length - this.#waiting.length;
  }

  get waits(): readonly Wait[] {
    return this.#running.parked.flatMap(({ wait }) => wait ?? []);
  }

  add(call: ToolCall): void {
    const entry: Entry = {
      call,
      queuedMs: this.#options.clock.monotonicMs(),
      notes: { hookContext: [], said: [] },
      life: openScope(),
      delivered: false,
      alone: true,
      answered: false,
    };
    this.#open += 1;
    if (this.#abortedBy !== undefined) {
      this.#answer(entry, { kind: 'aborted', why: this.#abortedBy, started: false });
      return;
    }
    const { id } = call.block;
    if (this.#calls.has(id)) {
      // A call that is added twice runs at most once (F145).
      this.#answer(entry, {
        kind: 'refused',
        why: 'invalid',
        text: `A call with the id ${id} was already made, so this one did not run.`,
      });
      return;
    }
    this.#calls.set(id, entry);
    this.#waiting.push(entry);
    // A call without waits starts before `add` returns: its intent is recorded together with its block.
    void andThen(prepareCall(call, this.#options.tools), (prepared) => {
      entry.prepared = prepared;
      entry.alone = prepared.kind === 'refused' || !prepared.concurrencySafe;
      this.#startWhatMay();
    });
  }

  delivered(callId: string): void {
    const entry = this.#calls.get(callId);
    if (entry === undefined) return;
    entry.delivered = true;
    entry.onDelivered?.resolve();
  }

  take(): ToolUpdate[] {
    const updates = this.#updates;
    this.#updates = [];
    for (const update of updates) if (update.kind === 'result') this.#open -= 1;
    return updates;
  }

  ready(): Promise<void> {
    if (this.#updates.length > 0 || this.open === 0) return Promise.resolve();
    this.#wake ??= createResolvable();
    return this.#wake.promise;
  }

  abort(why: AbortWhy): Promise<void> {
    this.#aborting ??= this.#abortAll(why);
    return this.#aborting;
  }

  leave(): void {
    this.#open = this.open;
    this.#abortedBy = 'discarded';
    this.#aborting = Promise.resolve();
    for (const entry of [...this.#waiting.splice(0), ...this.#running.all]) {
      entry.answered = true;
      this.#running.remove(entry);
      entry.life.abort('parked');
    }
  }

  async #abortAll(why: AbortWhy): Promise<void> {
    this.#abortedBy = why;
    for (const entry of [...this.#waiting.splice(0), ...this.#running.parked])
      this.#answer(entry, { kind: 'aborted', why, started: entry.notes.startedMs !== undefined });
    if (this.#running.all.length === 0) return;
    this.#allEnded = createResolvable();
    for (const entry of this.#running.all)
      entry.life.abort(new DOMException('This operation was aborted', 'AbortError'));
    const limit = new AbortController();
    const abandon = this.#options.clock.sleep(ABANDON_AFTER_MS, limit.signal).catch(() => {});
    await Promise.race([this.#allEnded.promise, abandon]);
    limit.abort();
    for (const entry of this.#running.all) {
      this.#answer(entry, { kind: 'aborted', why, started: entry.notes.startedMs !== undefined });
    }
  }

  #startWhatMay(): void {
    while (true) {
      const next = this.#waiting[0];
      if (next?.prepared === undefined || !this.#running.mayStart(next)) return;
      this.#waiting.shift();
      this.#running.add(next);
      void this.#run(next, next.prepared);
    }
  }

  async #run(entry: Entry, prepared: PreparedCall): Promise<void> {
    const { gate, clock, makeContext } = this.#options;
    const { life } = entry;
    const delivered = () => this.#delivery(entry);
    let outcome: CallOutcome;
    try {
      outcome = await passGate(
        {
          call: entry.call,
          prepared,
          context: makeContext(entry.call, life, delivered),
          life,
          notes: entry.notes,
          delivered,
          mayRun: (tool, input) => this.#mayRun(entry, tool, input),
          onProgress: (progress) => this.#progress(entry, progress),
          abortedBy: () => this.#abortedBy ?? 'interrupted',
        },
        gate,
        clock,
      );
    } catch (error) {
      outcome = { kind: 'threw', text: boundedErrorText(error) };
    }
    if (outcome.kind === 'parked') this.#park(entry, outcome.wait);
    else this.#answer(entry, outcome);
  }

  #park(entry: Entry, wait: Wait): void {
    if (entry.answered) return;
    const { id: toolUseId } = entry.call.block;
    this.#options.gate.spans?.ended(entry.call.block, undefined);
    this.#running.park(entry, wait.on === 'time' ? { ...wait, toolUseId } : wait);
    this.#startWhatMay();
    if (this.#isLeftToWait) this.#wakeUp();
  }

  /** Nothing but parked calls, and calls that may not run before them, is without a result. */
  get #isLeftToWait(): boolean {
    const next = this.#waiting[0];
    const isSettled = next === undefined || next.prepared !== undefined;
    return isSettled && this.#running.areLeftToWait;
  }

  async #delivery(entry: Entry): Promise<void> {
    if (entry.delivered) return entry.life.signal.throwIfAborted();
    entry.onDelivered ??= createResolvable();
    await unlessAborted(entry.onDelivered.promise, entry.life.signal);
  }

  /** A hook or host may have changed a concurrency-safe input to one that must run alone. */
  #mayRun(entry: Entry, tool: AnyTool, input: unknown): Promise<void> | undefined {
    return entry.alone || isConcurrencySafe(tool, input) ? undefined : this.#running.aloneFirst(entry);
  }

  #progress(entry: Entry, progress: ToolProgress): void {
    if (entry.answered) return;
    const { clock, ids } = this.#options;
    const { id, name } = entry.call.block;
    if (progress.lossless !== true) this.#makeRoomForProgress(id);
    const timestamp = isoTime(clock.nowMs());
    this.#push({
      kind: 'progress',
      message: {
        type: 'progress',
        uuid: ids.uuid(),
        timestamp,
        toolUseId: id,
        toolName: name,
        data: progress,
      },
    });
  }

  #makeRoomForProgress(id: string): void {
    const pending = this.#updates.filter(
      (update) =>
        update.kind === 'progress' &&
        update.message.toolUseId === id &&
        update.message.data['lossless'] !== true,
    );
    if (pending.length >= MAX_PENDING_PROGRESS)
      this.#updates.splice(this.#updates.indexOf(pending[0] as ToolUpdate), 1);
  }

  /** The one place where a call is answered; a later answer of an abandoned call is dropped. */
  #answer(entry: Entry, outcome: AnsweredOutcome): void {
    if (entry.answered) return;
    entry.answered = true;
    this.#options.gate.spans?.ended(
      entry.call.block,
      errorTypeOf(outcome),
      outcome.kind === 'returned' ? outcome.output : undefined,
    );
    this.#running.remove(entry);
    const concurrent = !entry.alone;
    if (outcome.kind === 'returned' && !concurrent && outcome.output.modifyContext !== undefined) {
      this.#options.onModifyContext(outcome.output.modifyContext);
    }
    const toolName = entry.prepared?.kind === 'ready' ? entry.prepared.tool.name : entry.call.block.name;
    const { call, notes, queuedMs } = entry;
    this.#push(toolUpdate({ call, toolName, notes, queuedMs, concurrent }, outcome, this.#options));
    if (this.#running.all.length === 0) this.#allEnded?.resolve();
    if (this.#abortedBy !== undefined) return;
    this.#running.letAloneRun();
    this.#startWhatMay();
  }

  #push(update: ToolUpdate): void {
    this.#updates.push(update);
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#wake?.resolve();
    this.#wake = undefined;
  }
}
