/** Facts of a model in the entry of a list of models, in the words of the APIs and servers that have one. */
import type { ModelPrice } from '../../protocol/model/model.ts';
import { fieldOf } from '../http/request-json.ts';
import type { StatedFacts } from './model-info.ts';

/** A model as its server describes it. */
export interface Described {
  readonly facts: StatedFacts;
  /** false: the server has not loaded the model, and may give it another window. */
  readonly isFinal: boolean;
  /** Where this was read, in words. */
  readonly by: string;
  /** The window that the model has by itself, in tokens. */
  readonly largest?: number | undefined;
  /** What gives it a larger window, in a sentence. */
  readonly enlarge?: string | undefined;
}

/**
 * `max_input_tokens`, `max_tokens` and `capabilities` are fields of the Messages API; the others those of
 * common servers and gateways: vLLM, OpenRouter, llama.cpp, Groq, Mistral.
 */
export function factsIn(entry: unknown): StatedFacts | undefined {
  const inputs = fieldOf(fieldOf(entry, 'architecture'), 'input_modalities');
  const parameters = fieldOf(entry, 'supported_parameters');
  return keepKnownFacts({
    contextWindow: tokensIn(entry, [
      'max_input_tokens',
      'max_model_len',
      'context_length',
      'context_window',
      'max_context_length',
    ]),
    maxOutputTokens:
      tokensIn(entry, ['max_tokens', 'max_output_tokens', 'max_completion_tokens']) ??
      tokensIn(fieldOf(entry, 'top_provider'), ['max_completion_tokens']),
    supportsImages: hasWord(inputs, 'image') ?? able(entry, 'image_input'),
    supportsTools: hasWord(parameters, 'tools'),
    supportsThinking: hasWord(parameters, 'reasoning') ?? able(entry, 'thinking'),
    supportsAdaptiveThinking: able(entry, 'thinking', 'types', 'adaptive'),
    supportsEffort: able(entry, 'effort'),
    price: priceIn(fieldOf(entry, 'pricing')),
  });
}

/** Without what is unknown; undefined: nothing is known. */
export function keepKnownFacts(
  facts: {
    readonly [Name in keyof StatedFacts]: StatedFacts[Name] | undefined;
  },
): StatedFacts | undefined {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** The first of these fields that is a number of tokens. */
export function tokensIn(entry: unknown, names: readonly string[]): number | undefined {
  return names
    .map((name) => fieldOf(entry, name))
    .find((value): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0);
}

/** Whether a list has a word; undefined: there is no list. */
export function hasWord(list: unknown, word: string): boolean | undefined {
  return Array.isArray(list) ? list.includes(word) : undefined;
}

/** Of the `capabilities` of the Messages API's list. */
function able(entry: unknown, ...path: readonly string[]): boolean | undefined {
  return flagIn(['capabilities', ...path].reduce(fieldOf, entry), 'supported');
}

/** A field that is true or false. */
export function flagIn(entry: unknown, name: string): boolean | undefined {
  const value = fieldOf(entry, name);
  return typeof value === 'boolean' ? value : undefined;
}

/** OpenRouter's: USD per token, as texts. A negative price is one that depends on the model that answers. */
function priceIn(pricing: unknown): ModelPrice | undefined {
  const usd = (name: string) => {
    const text = fieldOf(pricing, name);
    return typeof text === 'string' && text.trim() !== '' ? Number(text) : undefined;
  };
  return pricePerToken({
    input: usd('prompt'),
    output: usd('completion'),
    cacheRead: usd('input_cache_read'),
    cacheWrite: usd('input_cache_write'),
  });
}

/** From prices in USD per token. Cached input costs as much as other input, unless its price is stated. */
export function pricePerToken({
  input,
  output,
  cacheRead = input,
  cacheWrite = input,
}: Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number | undefined>>):
  | ModelPrice
  | undefined {
  const perMillion = [input, output, cacheRead, cacheWrite].map((usd) =>
    usd !== undefined && Number.isFinite(usd) && usd >= 0
      ? Number((usd * 1_000_000).toPrecision(12))
      : undefined,
  );
  const [inputPrice, outputPrice, read, write] = perMillion;
  if (inputPrice === undefined || outputPrice === undefined || read === undefined || write === undefined)
    return undefined;
  return {
    input: inputPrice,
    output: outputPrice,
    cacheRead: read,
    cacheWrite5m: write,
    cacheWrite1h: write,
  };
}
