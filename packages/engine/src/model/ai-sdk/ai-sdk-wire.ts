/** Any language model instance of the AI SDK that the user brings: its package does the HTTP. */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import type { Life } from '../../protocol/life.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type {
  Attempt,
  HttpHead,
  PreparedRequest,
  Wire,
  WireInput,
  WirePorts,
} from '../../protocol/model/provider-wire.ts';
import { bodyFormat, wrongFormat } from '../http/body-format.ts';
import { isStrict } from '../openai/bodies.ts';
import { fieldsIn } from '../openai/fields.ts';
import { createRenderedTurns, type RenderedTurns } from '../openai/turns.ts';
import { wireMaxTokens } from '../request/thinking-options.ts';
import { type IteratedAnswer, openIteratedAttempt, refusedAttempt } from '../stream/iterated-attempt.ts';
import type { WireAccess, WireSetup } from '../wire-setup.ts';
import { classifyAiSdk } from './classify-ai-sdk-error.ts';
import { type AiSdkCall, type AiSdkModel, checkedModel, versionOf } from './language-model.ts';
import { createPartDecoder } from './part-decoder.ts';
import { promptMessages } from './prompt-messages.ts';

type Fields = Readonly<Record<string, unknown>>;

interface AiSdkWireOptions {
  /** The instance, or what makes it for a model's name. */
  readonly model: AiSdkModel | ((model: string) => AiSdkModel);
  /** Handed to every call: `{ openai: { store: false } }`. Default none. */
  readonly providerOptions?: Readonly<Record<string, Fields>>;
}

/** Its package reaches the model. */
export function aiSdkAccess({ provider: { languageModel, providerOptions } }: WireSetup): WireAccess {
  const model = languageModel as AiSdkWireOptions['model'];
  return {
    open: (ports) =>
      createAiSdkWire({ model, ...(providerOptions !== undefined && { providerOptions }) }, ports),
  };
}

/** Throws a `TypeError` when `model` is no language model of the AI SDK. */
export function createAiSdkWire(options: AiSdkWireOptions, ports: WirePorts): Wire {
  return new AiSdkWire(options, ports);
}

class AiSdkWire implements Wire {
  readonly name = 'ai-sdk';
  readonly #options: AiSdkWireOptions;
  readonly #ports: WirePorts;
  readonly #models = new Map<string, AiSdkModel>();
  readonly #turns: RenderedTurns<Fields> = createRenderedTurns();

  constructor(options: AiSdkWireOptions, ports: WirePorts) {
    this.#options = options;
    this.#ports = ports;
    if (typeof options.model !== 'function') checkedModel(options.model);
  }

  prepare(input: WireInput): PreparedRequest {
    const { request, info, state } = input;
    const model = this.#modelOf(request.model);
    const form = { origin: `ai-sdk ${model.provider}`, version: versionOf(model) };
    const turns = this.#turns.messages(
      {
        view: request.view,
        userContext: request.userContext ?? [],
        key: `${input.thinkingKey} ${model.provider} ${form.version}`,
        keepsThinking: input.keepsThinking,
      },
      (rendered) => promptMessages(rendered, form),
    );
    const system = request.system.filter((text) => text.trim() !== '').join('\n\n');
    const maxTokens = wireMaxTokens(state.maxTokens ?? request.maxTokens, info);
    const tools = request.tools.map(({ name, description, input_schema }) => ({
      type: 'function',
      name,
      ...(description !== undefined && { description }),
      inputSchema: input_schema,
    }));
    const call: Omit<AiSdkCall, 'abortSignal'> = {
      prompt: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...turns],
      maxOutputTokens: maxTokens,
      ...(tools.length > 0 && { tools }),
      ...(request.outputSchema !== undefined && {
        responseFormat: { type: 'json', schema: request.outputSchema, name: 'answer' },
      }),
      ...this.#vendorOptions(model, request),
    };
    const { prompt, ...rest } = call;
    const chunks = [
      JSON.stringify({ model: model.modelId, ...rest }),
      ...prompt.map((message) => jsonOf(message as object)),
    ];
    const length = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
    return { chunks, length, maxTokens, open: (life) => this.#open(input, model, call, length, life) };
  }

  /** Its sockets belong to the package. */
  close(): void {}

  /** The instance for a name: the user's, or the one that the user's function makes once. */
  #modelOf(name: string): AiSdkModel {
    const { model } = this.#options;
    if (typeof model !== 'function') return model;
    let made = this.#models.get(name);
    if (made === undefined) {
      made = checkedModel(model(name));
      this.#models.set(name, made);
    }
    return made;
  }

  /**
   * What the specification has no field for. The effort: V4 has an option for it; before, only the packages
   * of OpenAI are known to take it. They also ask for a schema in strict mode, which not every schema fits.
   */
  #vendorOptions(
    model: AiSdkModel,
    { effort, outputSchema }: WireInput['request'],
  ): Pick<AiSdkCall, 'reasoning' | 'providerOptions'> {
    const { providerOptions } = this.#options;
    const level = effort === 'max' ? 'xhigh' : effort;
    const hasReasoning = level !== undefined && versionOf(model) >= 4;
    const openai = /^(?:openai|azure)\b/.test(model.provider) && {
      ...(level !== undefined && !hasReasoning && { reasoningEffort: level }),
      ...(outputSchema !== undefined && { strictJsonSchema: isStrict(outputSchema) }),
      ...providerOptions?.['openai'],
    };
    const options = {
      ...providerOptions,
      ...(openai && Object.keys(openai).length > 0 && { openai }),
    };
    return {
      ...(hasReasoning && { reasoning: level }),
      ...(Object.keys(options).length > 0 && { providerOptions: options }),
    };
  }

  #open(
    { request }: WireInput,
    model: AiSdkModel,
    call: Omit<AiSdkCall, 'abortSignal'>,
    requestBytes: number,
    life: Life,
  ): Attempt {
    const server = request.serverTools?.[0];
    if (server !== undefined) return refusedAttempt(noServerTools(String(server['name'] ?? server.type)));
    const { clock } = this.#ports;
    return openIteratedAttempt({
      send: (abortSignal) => askModel(model, { ...call, abortSignal }, request.stream),
      createDecoder: (head) =>
        createPartDecoder({
          head,
          origin: `ai-sdk ${model.provider}`,
          model: model.modelId,
          requestBytes,
          cacheApart: model.provider.startsWith('anthropic'),
          callsStream: CALLS_STREAM.test(model.provider),
        }),
      classify: (error, head) =>
        error instanceof WrongContent ? error.failure : classifyAiSdk(error, head, clock.nowMs()),
      secrets: [],
      stream: request.stream,
      timeouts: this.#ports.timeoutsFor(request.model),
      clock,
      life,
    });
  }
}

/**
 * Packages that tell all of a call's metadata when it begins. Others may add it at the end, and what a vendor
 * wants back with a call precedes it, so their calls arrive whole.
 */
const CALLS_STREAM = /^(?:openai|azure|anthropic|google|amazon-bedrock)\b/;

/** Thrown by `send`, which is answered in failures. */
class WrongContent extends Error {
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

const jsonOf = oncePer((message: object) => JSON.stringify(message));

async function askModel(model: AiSdkModel, call: AiSdkCall, stream: boolean): Promise<IteratedAnswer> {
  if (stream) {
    const { stream: parts, response } = await model.doStream(call as never);
    const head = toHttpHead(response);
    const wrong = otherContent(head);
    if (wrong !== undefined) throw new WrongContent(wrong);
    return { head, events: readStream(parts) };
  }
  const { content, finishReason, usage, response } = await model.doGenerate(call as never);
  const events = [
    { type: 'response-metadata', ...fieldsIn(response) },
    ...content.flatMap(streamed),
    { type: 'finish', finishReason, usage },
  ];
  return { head: toHttpHead(response), events };
}

/** The parts that would have streamed a part of a whole answer. */
function streamed(value: unknown): readonly unknown[] {
  const part = fieldsIn(value);
  if (part === undefined || (part['type'] !== 'text' && part['type'] !== 'reasoning')) return [value];
  const { type, text, providerMetadata } = part;
  const more = providerMetadata === undefined ? {} : { providerMetadata };
  return [
    { type: `${type}-start`, id: '0', ...more },
    { type: `${type}-delta`, id: '0', delta: text },
    { type: `${type}-end`, id: '0', ...more },
  ];
}

/** The package tells the headers at most. */
function toHttpHead(response: unknown): HttpHead {
  return { status: 200, headers: (fieldsIn(fieldsIn(response)?.['headers']) ?? {}) as HttpHead['headers'] };
}

/**
 * A login page, or one JSON object instead of a stream: packages read it as a stream without events. An empty
 * body is left to the retries.
 */
function otherContent(head: HttpHead): ModelFailure | undefined {
  if (head.headers['content-type'] === undefined || head.headers['content-length'] === '0') return undefined;
  const format = bodyFormat(head.headers);
  if (format.kind === 'events' || format.kind === 'framed') return undefined;
  return wrongFormat(format.kind === 'json' ? 'one JSON object' : format.what, 'a stream of events', head);
}

/** A web stream, with or without an iterator of its own. */
async function* readStream(stream: unknown): AsyncGenerator<unknown, void> {
  const reader = (stream as ReadableStream<unknown>).getReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
  } finally {
    // Not awaited: a package that does not answer would keep the caller.
    reader.cancel().catch(() => {});
  }
}

function noServerTools(name: string): ModelFailure {
  return {
    kind: 'invalid_request',
    message: `The tool ${name} runs at the provider, and a model of the AI SDK is not asked for it.`,
    shouldRetry: false,
  };
}
