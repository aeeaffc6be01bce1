/** A tool whose answers and timing the test controls. */
import type { JsonObject, JsonSchema } from '@turnwright/engine/protocol/json.ts';
import type { EffectClass, Tool, ToolContext, ToolOutput } from '@turnwright/engine/protocol/tools/tool.ts';
import { deferred } from './deferred.ts';

/** Result of a fake call: a text, or fields of a tool output. */
export type FakeAnswer = string | Partial<ToolOutput>;

/** A call of a fake tool. With `hold` it runs until `finish`, `fail` or abort. */
export interface FakeToolCall {
  readonly input: JsonObject;
  readonly context: ToolContext;
  /** Resolves a held call. */
  finish(answer?: FakeAnswer): void;
  /** Rejects a held call. */
  fail(error: unknown): void;
}

/** A tool that records its calls. */
export interface FakeTool extends Tool<JsonObject, unknown> {
  /** Every call that started, in order. */
  readonly calls: readonly FakeToolCall[];
  /** Resolves when the n-th call (from 1) has started. */
  started(n?: number): Promise<FakeToolCall>;
}

/** Options of `fakeTool()`; any field of `Tool` may be given too. */
export interface FakeToolOptions
  extends Partial<
    Omit<Tool<JsonObject, unknown>, 'run' | 'isConcurrencySafe' | 'effectClass' | 'isReadOnly'>
  > {
  readonly name: string;
  /** Default `done`. A function is called per call and may throw or wait. */
  readonly answer?:
    | FakeAnswer
    | ((input: JsonObject, context: ToolContext) => FakeAnswer | Promise<FakeAnswer>);
  /** A call runs until `finish`, `fail` or abort. */
  readonly hold?: boolean;
  /** Default false. */
  readonly concurrencySafe?: boolean;
  /** Default false. */
  readonly readOnly?: boolean;
  readonly effectClass?: EffectClass;
  /** Yielded as progress before the answer. */
  readonly progress?: readonly string[];
}

const ANY_OBJECT: JsonSchema = Object.freeze({ type: 'object' });

/**
 * A tool with scripted answers. Default answer: `done`.
 *
 * @example
 * ```ts
 * const look = fakeTool({ name: 'Look', answer: 'It is green.', readOnly: true });
 * const model = scriptedModel([callTool('Look', { at: 'it' }), say('Green.')]);
 * const options = { engine: { callModel: model.callModel, tools: [look] } };
 * ```
 */
export function fakeTool(options: FakeToolOptions): FakeTool {
  const {
    name,
    answer = 'done',
    hold,
    concurrencySafe,
    readOnly,
    effectClass,
    progress = [],
    ...rest
  } = options;
  const calls: FakeToolCall[] = [];
  const waiters: { readonly n: number; readonly begun: (call: FakeToolCall) => void }[] = [];

  return {
    inputJsonSchema: ANY_OBJECT,
    description: () => `The ${name} tool of a test.`,
    parse: (input) => ({ ok: true, input }),
    isConcurrencySafe: () => concurrencySafe ?? false,
    isReadOnly: () => readOnly ?? false,
    effectClass: () => effectClass ?? 'unsafe',
    ...rest,
    name,
    calls,
    async started(n = 1) {
      return calls[n - 1] ?? new Promise<FakeToolCall>((begun) => waiters.push({ n, begun }));
    },
    async *run(input, context) {
      const held = deferred<FakeAnswer>();
      const call: FakeToolCall = {
        input,
        context,
        finish: (given = 'done') => held.resolve(given),
        fail: held.reject,
      };
      const n = calls.push(call);
      for (const waiter of waiters) if (waiter.n === n) waiter.begun(call);
      for (const text of progress) yield { type: 'fake', text };
      if (!hold) return toFakeOutput(typeof answer === 'function' ? await answer(input, context) : answer);
      const onAbort = () => held.reject(context.signal.reason);
      if (context.signal.aborted) onAbort();
      context.signal.addEventListener('abort', onAbort, { once: true });
      try {
        return toFakeOutput(await held.promise);
      } finally {
        context.signal.removeEventListener('abort', onAbort);
      }
    },
  };
}

/** Converts the answer of a handler or fake tool to a tool output. */
export function toFakeOutput(answer: FakeAnswer): ToolOutput {
  return typeof answer === 'string'
    ? { data: answer, content: answer }
    : { data: answer.content, content: 'done', ...answer };
}
