/** The loop's tools port over plain functions: no gate, no permissions, calls start immediately. */

import type { ToolsPort } from '../loop/deps.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { UserMessage } from '../protocol/model/messages.ts';
import type { ToolUseBlock, WireTool } from '../protocol/model/wire.ts';
import type { Ids } from '../protocol/ports.ts';
import type { ToolOutput } from '../protocol/tools/tool.ts';
import type { AbortWhy, ToolCall, ToolExecutor, ToolTrace, ToolUpdate } from '../protocol/tools/tool-call.ts';
import { errorText } from '../util/text/error-text.ts';
import { type FakeAnswer, outputOf } from './fake-tool.ts';
import { sequentialIds } from './predictable.ts';

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
  const ids = options.ids ?? sequentialIds(900_000_000);
  const wire: readonly WireTool[] = Object.keys(handlers).map((name) => ({
    name,
    input_schema: { type: 'object' },
  }));
  const added: ToolCall[] = [];
  const delivered: string[] = [];
  const aborts: string[] = [];

  const resultOf = (call: ToolCall, answer: Exclude<HandlerAnswer, string>, ended: Ended): ResultUpdate => ({
    kind: 'result',
    callId: call.block.id,
    message: resultMessage(call, outputOf(answer), ids.uuid(), ended.nonExecution),
    extraMessages: answer.extraMessages ?? [],
    endsTurn: answer.endsTurn ?? false,
    hookContext: answer.hookContext ?? [],
    ...(answer.preventContinuation && { preventContinuation: answer.preventContinuation }),
    ...(answer.denial && { denial: answer.denial }),
    ...(answer.interrupt && { interrupt: true }),
    trace: traceOf(call, ended.outcome ?? (answer.isError ? 'error' : 'ok')),
  });

  function open(input: Parameters<ToolsPort['open']>[0]): ToolExecutor {
    const calls = new Map<string, ToolCall>();
    const controller = new AbortController();
    let updates: ToolUpdate[] = [];
    let abortedBy: AbortWhy | undefined;
    let wake = () => {};
    const report = (call: ToolCall, answer: HandlerAnswer, ended: Ended = {}) => {
      if (!calls.delete(call.block.id)) return;
      updates.push(resultOf(call, typeof answer === 'string' ? { content: answer } : answer, ended));
      wake();
    };
    const run = async (call: ToolCall) => {
      const handler = handlers[call.block.name];
      if (call.unparsed !== undefined) {
        const nonExecution = call.unparsed.cut ? 'cut' : 'invalid';
        report(call, refusal('The input is not valid JSON.'), { outcome: 'invalid', nonExecution });
      } else if (handler === undefined) {
        report(call, refusal(`There is no tool ${call.block.name}.`), {
          outcome: 'unknown_tool',
          nonExecution: 'invalid',
        });
      } else {
        try {
          report(
            call,
            typeof handler === 'function'
              ? await handler(call.block.input, call, controller.signal)
              : handler,
          );
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
    const abort: ToolExecutor['abort'] = async (why) => {
      abortedBy ??= why;
      if (calls.size > 0) aborts.push(why);
      controller.abort(why);
      for (const call of [...calls.values()]) cutShort(call, why);
    };
    input.scope.onClose(() => abort('interrupted'));

    return {
      add(call) {
        added.push(call);
        calls.set(call.block.id, call);
        if (abortedBy === undefined) void run(call);
        else cutShort(call, abortedBy);
      },
      delivered: (callId) => void delivered.push(callId),
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
      abort,
      waits: [],
      leave: () => undefined,
    };
  }

  return {
    wireTools: async () => wire,
    open,
    backfill: options.backfill ?? ((block) => block),
    outwardInput: ({ input }) => input,
    added,
    delivered,
    aborts,
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

function traceOf(call: ToolCall, outcome: ToolTrace['outcome']): ToolTrace {
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
