/** The loop's tools port over plain functions: no gate, no permissions, calls start immediately. */

import { errorText } from '@turnwright/base/text/error-text.ts';
import type { ToolsPort } from '@turnwright/engine/loop/deps.ts';
import type { JsonObject } from '@turnwright/engine/protocol/json.ts';
import type { UserMessage } from '@turnwright/engine/protocol/model/messages.ts';
import type { ToolUseBlock, WireTool } from '@turnwright/engine/protocol/model/wire.ts';
import type { Ids } from '@turnwright/engine/protocol/ports.ts';
import type { ToolOutput } from '@turnwright/engine/protocol/tools/tool.ts';
import type {
  AbortWhy,
  ToolCall,
  ToolExecutor,
  ToolTrace,
  ToolUpdate,
} from '@turnwright/engine/protocol/tools/tool-call.ts';
import { type FakeAnswer, toFakeOutput } from './fake-tool.ts';
import { sequentialIds } from './predictable.ts';

type Handlers = Readonly<Record<string, ToolHandler | FakeAnswer>>;
type ResultUpdate = Extract<ToolUpdate, { kind: 'result' }>;

/** A tool output, optionally with what hooks and hosts would add to a real call. */
export type HandlerAnswer =
  | string
  | (Partial<ToolOutput> &
      Partial<Pick<ResultUpdate, 'preventContinuation' | 'hookContext' | 'denial' | 'interrupt'>>);

/** Runs a call. A thrown error becomes an error result. */
export type ToolHandler = (
  input: JsonObject,
  call: ToolCall,
  signal: AbortSignal,
) => HandlerAnswer | Promise<HandlerAnswer>;

/** The loop's tools port, with a record of its calls. */
export interface ScriptedTools extends ToolsPort {
  /** Every added call, in order. */
  readonly added: readonly ToolCall[];
  /** Ids of the calls whose blocks the consumer has received. */
  readonly delivered: readonly string[];
  /** Reasons with which executors were aborted while calls were open. */
  readonly aborts: readonly string[];
}

/** Options of `scriptedTools()`. */
export interface ScriptedToolsOptions {
  readonly ids?: Ids;
  readonly backfill?: (block: ToolUseBlock) => ToolUseBlock;
}

/**
 * Answers each call exactly once by the handler of its name: with what the handler returns or throws, or an
 * error for an unknown name, invalid input, or an abort.
 */
export function scriptedTools(
  handlers: Readonly<Record<string, ToolHandler | FakeAnswer>> = {},
  options: ScriptedToolsOptions = {},
): ScriptedTools {
  const wire: readonly WireTool[] = Object.keys(handlers).map((name) => ({
    name,
    input_schema: { type: 'object' },
  }));
  const ids = options.ids ?? sequentialIds(900_000_000);
  const seen: Seen = { added: [], delivered: [], aborts: [] };
  return {
    wireTools: async () => wire,
    open({ scope }) {
      const executor = openExecutor(handlers, ids, seen);
      scope.onClose(() => executor.abort('interrupted'));
      return executor;
    },
    backfill: options.backfill ?? ((block) => block),
    outwardInput: ({ input }) => input,
    ...seen,
  };
}

/** What all executors of a test saw. */
interface Seen {
  readonly added: ToolCall[];
  readonly delivered: string[];
  readonly aborts: string[];
}

/** An object without private fields: tests wrap and spread it. */
function openExecutor(handlers: Handlers, ids: Ids, seen: Seen): ToolExecutor {
  const calls = new Map<string, ToolCall>();
  const controller = new AbortController();
  let updates: ToolUpdate[] = [];
  let abortedBy: AbortWhy | undefined;
  let wake = () => {};
  const report = (call: ToolCall, answer: HandlerAnswer, ended: Ended = {}) => {
    if (!calls.delete(call.block.id)) return;
    const output = typeof answer === 'string' ? { content: answer } : answer;
    updates.push(resultUpdate(call, output, ended, ids.uuid()));
    wake();
  };
  const run = async (call: ToolCall) => {
    const handler = handlers[call.block.name];
    if (call.unparsed !== undefined) {
      const nonExecution = call.unparsed.cut ? 'cut' : 'invalid';
      report(call, refusal('The input is not valid JSON.'), { outcome: 'invalid', nonExecution });
    } else if (handler === undefined) {
      const ended: Ended = { outcome: 'unknown_tool', nonExecution: 'invalid' };
      report(call, refusal(`There is no tool ${call.block.name}.`), ended);
    } else {
      try {
        const isFunction = typeof handler === 'function';
        report(call, isFunction ? await handler(call.block.input, call, controller.signal) : handler);
      } catch (error) {
        report(call, { content: errorText(error), isError: true });
      }
    }
  };
  const cutShort = (call: ToolCall, why: AbortWhy) =>
    report(
      call,
      { content: `Not completed: ${why}.`, isError: true },
      { outcome: 'aborted', nonExecution: 'aborted' },
    );
  return {
    add(call) {
      seen.added.push(call);
      calls.set(call.block.id, call);
      if (abortedBy === undefined) void run(call);
      else cutShort(call, abortedBy);
    },
    delivered: (callId) => void seen.delivered.push(callId),
    take() {
      const taken = updates;
      updates = [];
      return taken;
    },
    get open() {
      return calls.size + updates.filter((update) => update.kind === 'result').length;
    },
    async ready() {
      while (updates.length === 0 && calls.size > 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async abort(why) {
      abortedBy ??= why;
      if (calls.size > 0) seen.aborts.push(why);
      controller.abort(why);
      for (const call of [...calls.values()]) cutShort(call, why);
    },
    waits: [],
    leave: () => undefined,
  };
}

function resultUpdate(
  call: ToolCall,
  answer: Exclude<HandlerAnswer, string>,
  ended: Ended,
  uuid: string,
): ResultUpdate {
  return {
    kind: 'result',
    callId: call.block.id,
    message: resultMessage(call, toFakeOutput(answer), uuid, ended.nonExecution),
    extraMessages: answer.extraMessages ?? [],
    endsTurn: answer.endsTurn ?? false,
    hookContext: answer.hookContext ?? [],
    ...(answer.preventContinuation && { preventContinuation: answer.preventContinuation }),
    ...(answer.denial && { denial: answer.denial }),
    ...(answer.interrupt && { interrupt: true }),
    trace: buildTrace(call, ended.outcome ?? (answer.isError ? 'error' : 'ok')),
  };
}

interface Ended {
  readonly outcome?: ToolTrace['outcome'];
  readonly nonExecution?: NonNullable<UserMessage['nonExecution']>;
}

function refusal(text: string): { readonly content: string; readonly isError: true } {
  return { content: `<tool_use_error>${text}</tool_use_error>`, isError: true };
}

function resultMessage(
  call: ToolCall,
  output: ToolOutput,
  uuid: string,
  nonExecution: Ended['nonExecution'],
): UserMessage {
  return {
    type: 'user',
    kind: 'tool_result',
    uuid,
    timestamp: '1970-01-01T00:00:00.000Z',
    message: {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: call.block.id,
          content: output.content,
          ...(output.isError && { is_error: true }),
        },
      ],
    },
    toolUseResult: output.data,
    sourceAssistantUuid: call.assistantUuid,
    ...(nonExecution && { nonExecution }),
  };
}

function buildTrace(call: ToolCall, outcome: ToolTrace['outcome']): ToolTrace {
  return {
    id: call.block.id,
    name: call.block.name,
    queuedMs: 0,
    startedMs: 0,
    endedMs: 0,
    outcome,
    inputChars: JSON.stringify(call.block.input).length,
    resultChars: 0,
    concurrent: true,
  };
}
