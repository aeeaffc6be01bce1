/** The tools of a replay: nothing runs; each call gets the result that is recorded under its id. */
import type { ToolsPort } from '../../loop/deps.ts';
import type { UserMessage } from '../../protocol/model/messages.ts';
import type { Wait } from '../../protocol/session/parking.ts';
import type { ToolCall, ToolExecutor, ToolTrace, ToolUpdate } from '../../protocol/tools/tool-call.ts';
import type { Cursor } from '../cursor.ts';

export function toolsPort(cursor: Cursor): ToolsPort {
  return {
    wireTools: () => [],
    open: () => new ReplayedCalls(cursor),
    backfill: (block) => block,
    outwardInput: ({ input }) => input,
  };
}

class ReplayedCalls implements ToolExecutor {
  readonly #cursor: Cursor;
  readonly #open = new Map<string, ToolCall>();
  #hasAborted = false;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  add(call: ToolCall): void {
    this.#open.set(call.block.id, call);
  }

  delivered(): void {}

  take(): ToolUpdate[] {
    const iteration = this.#cursor.now;
    const updates: ToolUpdate[] = [];
    if (iteration === undefined) return updates;
    const due = [...iteration.results.keys()].filter((id) => this.#open.has(id));
    for (const id of due) {
      const call = this.#open.get(id);
      const recorded = iteration.results.get(id);
      if (call === undefined || recorded === undefined) continue;
      // An abort came before the first call that it has ended.
      if (recorded.message.nonExecution === 'aborted' || this.#traceOf(call)?.outcome === 'aborted')
        this.#cursor.abort();
      this.#open.delete(id);
      updates.push(this.#result(call, recorded.message, recorded.more, due.at(-1) === id));
    }
    if (this.#hasAborted) for (const call of [...this.#open.values()]) updates.push(this.#made(call));
    if (updates.length > 0 && this.#open.size === 0 && this.#isAbortedBehindCalls()) this.#cursor.abort();
    return updates;
  }

  get open(): number {
    return this.#unparked().length;
  }

  get waits(): readonly Wait[] {
    const { now } = this.#cursor;
    if (this.#open.size === 0 || now?.record?.decision?.kind !== 'park') return [];
    // Its process was killed before it could say for what it waits.
    if (now.parked === undefined) return [{ on: 'ask', askId: '' }];
    const { parked } = now;
    const { askIds, sleeps = {}, why } = parked;
    return [
      ...askIds.map((askId): Wait => ({ on: 'ask', askId })),
      ...Object.entries(sleeps).map(([toolUseId, wakeAt]): Wait => ({ on: 'time', wakeAt, toolUseId, why })),
    ];
  }

  async ready(): Promise<void> {
    const results = this.#cursor.now?.results;
    if ([...this.#open.keys()].some((id) => results?.has(id) === true)) return;
    // Nothing more is recorded: what is left was never answered.
    if (this.#unparked().length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#hasAborted = true;
    }
  }

  async abort(): Promise<void> {
    this.#hasAborted = true;
  }

  leave(): void {
    this.#open.clear();
  }

  #unparked(): readonly ToolCall[] {
    const { now } = this.#cursor;
    const isParked = now?.record?.decision?.kind === 'park';
    return [...this.#open.values()].filter(({ block }) => !isParked || now?.results.has(block.id) === true);
  }

  #isAbortedBehindCalls(): boolean {
    const { now, abortReason } = this.#cursor;
    if (abortReason === undefined) return false;
    if (now?.told.abort !== undefined && now.told.abort.during !== 'nothing') return false;
    return now?.record?.rules[0]?.verdict === 'stop' && now.attachments.length === 0;
  }

  #traceOf({ block }: ToolCall): ToolTrace | undefined {
    return this.#cursor.now?.record?.tools.find(({ id }) => id === block.id);
  }

  #result(call: ToolCall, message: UserMessage, more: readonly UserMessage[], isLast: boolean): ToolUpdate {
    const trace = this.#traceOf(call) ?? madeTrace(call, message);
    const last = isLast ? this.#lastBrought() : NOTHING;
    return {
      kind: 'result',
      callId: call.block.id,
      message,
      extraMessages: more,
      ...last,
      trace: { ...trace, name: call.block.name },
    };
  }

  /** What results brought besides their messages, as the rules have read it. */
  #lastBrought(): Brought {
    const { now, before, run } = this.#cursor;
    // What the results of a parked run had brought is handed to the next run.
    const earlier = before === undefined ? (run.startAt?.response?.collected?.hookContext.length ?? 0) : 0;
    const facts = Object.assign({}, ...(now?.record?.rules ?? []).map(({ read }) => read)) as Record<
      string,
      unknown
    >;
    const context = now?.written.flatMap((entry) =>
      entry.type === 'attachment' &&
      entry.attachment.type === 'hook_context' &&
      entry.attachment.event === 'PostToolUse'
        ? (entry.attachment.content as readonly string[])
        : [],
    );
    const stopReason = facts['preventContinuation'];
    return {
      endsTurn: facts['endsTurn'] === true,
      hookContext: context?.slice(earlier) ?? [],
      ...(typeof stopReason === 'string' && { preventContinuation: { stopReason } }),
      ...(facts['deniedWithInterrupt'] === true && { interrupt: true }),
    };
  }

  #made(call: ToolCall): ToolUpdate {
    this.#open.delete(call.block.id);
    if (this.#cursor.now?.record?.decision !== undefined)
      this.#cursor.missing.add(`the result of the call ${call.block.id} (${call.block.name})`);
    const message: UserMessage = {
      type: 'user',
      kind: 'tool_result',
      uuid: this.#cursor.ids.uuid(),
      timestamp: '',
      message: {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: call.block.id, content: 'Not recorded.', is_error: true },
        ],
      },
      sourceAssistantUuid: call.assistantUuid,
      nonExecution: 'aborted',
    };
    return {
      kind: 'result',
      callId: call.block.id,
      message,
      extraMessages: [],
      ...NOTHING,
      trace: madeTrace(call, message),
    };
  }
}

type Brought = Pick<
  Extract<ToolUpdate, { kind: 'result' }>,
  'endsTurn' | 'hookContext' | 'preventContinuation' | 'interrupt'
>;

const NOTHING: Brought = Object.freeze({ endsTurn: false, hookContext: [] });

function madeTrace({ block }: ToolCall, { message, nonExecution }: UserMessage): ToolTrace {
  const [part] = typeof message.content === 'string' ? [] : message.content;
  const isError = part?.type === 'tool_result' && part.is_error === true;
  return {
    id: block.id,
    name: block.name,
    queuedMs: 0,
    endedMs: 0,
    outcome: nonExecution === 'aborted' ? 'aborted' : isError ? 'error' : 'ok',
    inputChars: 0,
    resultChars: 0,
    concurrent: false,
  };
}
