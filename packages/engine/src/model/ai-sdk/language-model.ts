/**
 * A language model of the AI SDK, by its structure: specification V2, V3 or V4. Nothing of that package is
 * imported; the user brings the instance.
 */

type Options = Readonly<Record<string, unknown>>;

/** What a provider package of the AI SDK makes: `openai('gpt-5.2')`, `createOllama()('qwen3')`. */
export interface AiSdkModel {
  /** `v2`, `v3` or `v4`. */
  readonly specificationVersion: string;
  /** As the package names itself: `openai.responses`, `google.generative-ai`. */
  readonly provider: string;
  readonly modelId: string;
  /** Rejects when the request is refused. The stream's parts are those of the specification. */
  doStream(options: never): PromiseLike<AiSdkStreamed>;
  doGenerate(options: never): PromiseLike<AiSdkGenerated>;
}

interface AiSdkStreamed {
  readonly stream: unknown;
  readonly response?: { readonly headers?: Readonly<Record<string, string>> | undefined } | undefined;
}

interface AiSdkGenerated {
  readonly content: readonly unknown[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly response?: unknown;
}

/** The options of one call, as all three specifications understand them. */
export interface AiSdkCall {
  readonly prompt: readonly unknown[];
  readonly maxOutputTokens: number;
  readonly tools?: readonly unknown[];
  readonly responseFormat?: unknown;
  /** V4: the effort. */
  readonly reasoning?: string;
  readonly providerOptions?: Readonly<Record<string, Options>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly abortSignal: AbortSignal;
}

const VERSIONS = ['v2', 'v3', 'v4'];

/** Throws a `TypeError` that says what is wrong with the object. */
export function checkedModel(model: unknown): AiSdkModel {
  const found = model as Partial<AiSdkModel> | null | undefined;
  if (typeof found !== 'object' || found === null || typeof found.doStream !== 'function')
    throw new TypeError(
      `The model of an ai-sdk provider must be a language model instance of the AI SDK, such as openai('gpt-5.2'). Got ${typeof model}.`,
    );
  if (!VERSIONS.includes(String(found.specificationVersion)))
    throw new TypeError(
      `The AI SDK model ${String(found.modelId)} has specification ${String(found.specificationVersion)}; ${VERSIONS.join(', ')} are supported. Update its provider package.`,
    );
  return found as AiSdkModel;
}

/** 2, 3 or 4. */
export const versionOf = (model: AiSdkModel): number => Number(model.specificationVersion.slice(1));
