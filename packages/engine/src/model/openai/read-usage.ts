/**
 * Usage of OpenAI-compatible servers in the terms of the Messages API: `input_tokens` without what the cache
 * gave or took, `output_tokens` with reasoning (F108).
 */
import type { Usage } from '../../protocol/model/wire.ts';
import { type Fields, fieldsIn, numberIn } from './fields.ts';

/** The usage of a chat completion, a response, or the closing chunk of one; undefined if it says nothing. */
export function usageIn(value: unknown): Usage | undefined {
  const usage = fieldsIn(value);
  if (usage === undefined) return undefined;
  const prompt = numberIn(usage, 'prompt_tokens', 'input_tokens');
  const completion = numberIn(usage, 'completion_tokens', 'output_tokens');
  if (prompt === undefined && completion === undefined) return undefined;
  return normalised(usage, prompt ?? 0, completion ?? 0);
}

function normalised(usage: Fields, prompt: number, completion: number): Usage {
  const inputDetails = fieldsIn(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
  const outputDetails = fieldsIn(usage['completion_tokens_details'] ?? usage['output_tokens_details']);
  const read =
    numberIn(inputDetails, 'cached_tokens') ??
    numberIn(usage, 'prompt_cache_hit_tokens', 'cache_read_input_tokens', 'cached_tokens') ??
    0;
  const written =
    numberIn(inputDetails, 'cache_write_tokens', 'cache_creation_tokens') ??
    numberIn(usage, 'cache_creation_input_tokens') ??
    0;
  const reasoning = numberIn(outputDetails, 'reasoning_tokens') ?? 0;
  const total = numberIn(usage, 'total_tokens');
  const cached = read + written;
  // What the total has more than its two parts was counted beside them: the cache, or the reasoning.
  const beside = total === undefined ? 0 : total - prompt - completion;
  const cacheApart = cached > prompt || (beside > 0 && beside === cached);
  const reasoningApart = !cacheApart && beside > 0;
  return {
    input_tokens: cacheApart ? prompt : prompt - cached,
    output_tokens: reasoningApart ? completion + beside : completion,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    ...((reasoning > 0 || reasoningApart) && {
      output_tokens_details: { thinking_tokens: reasoning > 0 ? reasoning : beside },
    }),
  };
}

/** What llama.cpp reports beside a chunk: tokens read, of these from the cache, and written. */
export function usageInTimings(value: unknown): Usage | undefined {
  const timings = fieldsIn(value);
  const read = numberIn(timings, 'prompt_n');
  const written = numberIn(timings, 'predicted_n');
  if (read === undefined || written === undefined) return undefined;
  return {
    input_tokens: read,
    output_tokens: written,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: numberIn(timings, 'cache_n') ?? 0,
  };
}

/**
 * UTF-8 bytes, or characters, per token: of JSON and prose alike, and rather too many tokens than too few.
 */
const CHARS_PER_TOKEN = 3.5;

/** Where a server reports no usage. Marked, so that nothing is calibrated by it. */
export function estimatedUsage(requestBytes: number, outputChars: number): Usage {
  return {
    input_tokens: Math.ceil(requestBytes / CHARS_PER_TOKEN),
    output_tokens: Math.ceil(outputChars / CHARS_PER_TOKEN),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    estimated: true,
  };
}
