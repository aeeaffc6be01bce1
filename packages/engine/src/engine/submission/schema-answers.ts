/**
 * Structured output by the provider's own means: the request carries the schema instead of the tool, and the
 * text of an answer without calls is the value. Where the endpoint does not take the schema, or the answer
 * does not keep to it, the tool carries it from then on.
 */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import type { JsonSchema } from '../../protocol/json.ts';
import type { LoopMessage } from '../../protocol/model/messages.ts';
import type {
  CallModel,
  CallOptions,
  ModelInfo,
  ModelOutcome,
  ModelOutput,
  ModelRequest,
} from '../../protocol/model/model.ts';
import type { WireTool } from '../../protocol/model/wire.ts';

interface SchemaAnswersOptions {
  /** Of an object. */
  readonly schema: JsonSchema;
  /** The tool that carries the schema otherwise. */
  readonly toolName: string;
  infoOf(model: string): Pick<ModelInfo, 'structuredOutput'>;
}

export class SchemaAnswers {
  readonly #options: SchemaAnswersOptions;
  readonly #otherTools: (tools: readonly WireTool[]) => readonly WireTool[];
  /** The endpoint has failed at it: the tool is used for the rest of the session. */
  #isOff = false;
  /** The latest request asked for it. */
  #isAsked = false;
  /** To the latest request, as far as it was emitted. */
  #text = '';
  #hasCalls = false;

  constructor(options: SchemaAnswersOptions) {
    this.#options = options;
    this.#otherTools = oncePer((tools) => tools.filter(({ name }) => name !== options.toolName));
  }

  /** The text of the latest answer; undefined when it was not asked for by the schema, or has calls. */
  get text(): string | undefined {
    return this.#isAsked && !this.#hasCalls ? this.#text : undefined;
  }

  asking(call: CallModel): CallModel {
    return (request, options) => this.#ask(call, request, options);
  }

  observe(message: LoopMessage): void {
    // The answer did not keep to the schema.
    if (message.type === 'user' && message.kind === 'structured_nudge') this.#isOff = true;
    if (message.type !== 'assistant') return;
    for (const block of message.message.content) {
      if (block.type === 'text') this.#text += block.text;
      if (block.type === 'tool_use') this.#hasCalls = true;
    }
  }

  async *#ask(
    call: CallModel,
    request: ModelRequest,
    options: CallOptions,
  ): AsyncGenerator<ModelOutput, ModelOutcome> {
    this.#text = '';
    this.#hasCalls = false;
    this.#isAsked = !this.#isOff && this.#isTaken(request);
    if (!this.#isAsked) return yield* call(request, options);
    const tools = this.#otherTools(request.tools);
    const outcome = yield* call({ ...request, tools, outputSchema: this.#options.schema }, options);
    if (outcome.kind !== 'failed' || outcome.failure.outputSchema !== true) return outcome;
    this.#isOff = true;
    this.#isAsked = false;
    const { signal, life } = options;
    const again = yield* call(request, { signal, ...(life && { life }), retry: outcome.retry });
    return { ...again, attempts: [...outcome.attempts, ...again.attempts] };
  }

  #isTaken({ model, tools }: ModelRequest): boolean {
    const { structuredOutput } = this.#options.infoOf(model);
    if (structuredOutput === 'without_tools') return this.#otherTools(tools).length === 0;
    return structuredOutput === 'with_tools';
  }
}
