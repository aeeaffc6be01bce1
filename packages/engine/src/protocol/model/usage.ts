/** Token counts as servers report them, and as they are charged. */
import type { ModelRequest } from './model.ts';
import { EMPTY_USAGE, type Usage } from './wire.ts';

/** All input tokens: fresh input, cache writes and cache reads. */
export function promptTokens(usage: Partial<Usage>): number {
  return (
    (usage.input_tokens ?? 0) +
    (usage.cache_creation_input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0)
  );
}

/** Tokens in the context after this response: prompt and answer. */
export function contextTokens(usage: Partial<Usage>): number {
  return promptTokens(usage) + (usage.output_tokens ?? 0);
}

/** As a server reports it at first, with absent and null counts as 0. */
export function readUsage(value: unknown): Usage {
  return replaceUsage(EMPTY_USAGE, soundUsage(value));
}

/**
 * `message_delta` carries cumulative values, which replace earlier ones (L4.1). Null and absent leave a count
 * unchanged, and what was counted once is never counted back.
 */
export function replaceUsage(usage: Usage, later: Partial<Usage> | null | undefined): Usage {
  if (later === undefined || later === null) return usage;
  const merged: Record<string, unknown> = { ...usage };
  for (const key in later) merged[key] = later[key as keyof Usage] ?? merged[key];
  if (usage.output_tokens > (merged['output_tokens'] as number))
    merged['output_tokens'] = usage.output_tokens;
  // Tokens may turn out to be those of a cache, so the three are compared together.
  if (promptTokens(usage) > promptTokens(merged)) for (const key of PROMPT) merged[key] = usage[key];
  return merged as unknown as Usage;
}

const PROMPT = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const;

/** Without counts that cannot be true, so that no answer makes a budget larger. */
export function soundUsage(reported: unknown): Partial<Usage> {
  return isObject(reported) ? soundFields(reported) : {};
}

function soundFields(fields: object): object {
  let mended: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(fields)) {
    const better = sound(key, value);
    if (better === value) continue;
    mended ??= { ...fields };
    mended[key] = better;
  }
  return mended ?? fields;
}

function sound(key: string, value: unknown): unknown {
  if (typeof value === 'number') return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0;
  if (value === null || value === undefined) return value;
  if (/_(?:tokens|requests)$/.test(key)) return 0;
  if (key === 'iterations') return Array.isArray(value) ? value.filter(isObject).map(soundFields) : [];
  return isObject(value) ? soundFields(value) : value;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Characters per token, of an answer or a request that the server did not count. */
const CHARS_PER_TOKEN = 4;
/** Of an image or a document. */
const MOST_DATA_CHARS = 6_400;

interface Charged {
  readonly outputChars: number;
  /** Of the request; asked for if the server did not count it. */
  readonly promptTokens: () => number;
  /** The answer is whole: a count at its end holds. */
  readonly ended: boolean;
  /** Output cap of the request. */
  readonly maxTokens: number;
}

/** Counts one answer while it comes in. */
export class UsageMeter {
  /** As reported so far; undefined: the answer has not begun. */
  usage: Usage | undefined;
  /** The last count of the output can be true. What an answer begins with is not its count. */
  #isCounted = false;

  begin(reported: unknown): Usage {
    this.#isCounted = false;
    this.usage = readUsage(reported);
    return this.usage;
  }

  add(reported: unknown): Usage {
    const later = soundUsage(reported);
    if (typeof later.output_tokens === 'number') this.#isCounted = later.output_tokens > 0;
    this.usage = replaceUsage(this.usage ?? EMPTY_USAGE, later);
    return this.usage;
  }

  /** What the answer is charged: what was reported, and estimates of what was not, although it was used. */
  charged({ outputChars, promptTokens: count, ended, maxTokens }: Charged): Usage {
    const usage = this.usage ?? EMPTY_USAGE;
    const received = Math.min(Math.ceil(outputChars / CHARS_PER_TOKEN), maxTokens);
    const reported = usage.output_tokens;
    const output = ended && this.#isCounted ? reported : Math.max(reported, received);
    const hasPrompt = promptTokens(usage) > 0;
    if (hasPrompt && output === reported) return usage;
    return {
      ...usage,
      output_tokens: output,
      ...(!hasPrompt && { input_tokens: count() }),
      ...((ended || !hasPrompt) && { estimated: true }),
    };
  }
}

/** Tokens of a request, from its characters. */
export function roughPromptTokens({ system, tools, view }: ModelRequest): number {
  const messages = [...view].map((message) =>
    message.type === 'attachment' ? message.rendered : message.message.content,
  );
  const chars = JSON.stringify([system, tools, messages], (key, value: unknown) =>
    key === 'data' && typeof value === 'string' ? value.slice(0, MOST_DATA_CHARS) : value,
  ).length;
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
