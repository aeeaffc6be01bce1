/** Sums over token counts. */
import { EMPTY_USAGE, type Usage } from '../../protocol/model/wire.ts';

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

/**
 * `message_delta` carries cumulative values, which replace earlier ones (L4.1). Null and absent leave a count
 * unchanged.
 */
export function replaceUsage(usage: Usage, later: Partial<Usage> | null | undefined): Usage {
  if (later === undefined || later === null) return usage;
  const merged: Record<string, unknown> = { ...usage };
  for (const key in later) {
    const value = later[key as keyof Usage];
    if (value !== null && value !== undefined) merged[key] = value;
  }
  return merged as unknown as Usage;
}

/** As a server reports it. Counts that cannot be true are 0, so that no answer makes a budget larger. */
export function soundUsage(reported: Partial<Usage>): Partial<Usage> {
  return sound('', reported) as Partial<Usage>;
}

function sound(key: string, value: unknown): unknown {
  if (typeof value === 'number') return value >= 0 && value < Infinity ? value : 0;
  if (Array.isArray(value)) return value.map((each) => sound(key, each));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, sound(name, inner)]));
  return typeof value === 'string' && /_(?:tokens|requests)$/.test(key) ? 0 : value;
}

/**
 * The sum of two responses. Details that cannot be added (service tier, nested responses) come from the later
 * one or are joined.
 */
export function addUsage(a: Usage, b: Usage): Usage {
  if (a === EMPTY_USAGE) return b;
  return {
    ...a,
    ...b,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
    ...joined(a, b),
  };
}

function joined(a: Usage, b: Usage): Partial<Usage> {
  const creation = (usage: Usage) =>
    usage.cache_creation ?? {
      ephemeral_5m_input_tokens: usage.cache_creation_input_tokens,
      ephemeral_1h_input_tokens: 0,
    };
  const searches = (usage: Usage) => usage.server_tool_use?.web_search_requests ?? 0;
  const thinking = (usage: Usage) => usage.output_tokens_details?.thinking_tokens ?? 0;
  return {
    ...((a.cache_creation ?? b.cache_creation) && {
      cache_creation: {
        ephemeral_5m_input_tokens:
          creation(a).ephemeral_5m_input_tokens + creation(b).ephemeral_5m_input_tokens,
        ephemeral_1h_input_tokens:
          creation(a).ephemeral_1h_input_tokens + creation(b).ephemeral_1h_input_tokens,
      },
    }),
    ...((a.server_tool_use ?? b.server_tool_use) && {
      server_tool_use: { web_search_requests: searches(a) + searches(b) },
    }),
    ...((a.output_tokens_details ?? b.output_tokens_details) && {
      output_tokens_details: { thinking_tokens: thinking(a) + thinking(b) },
    }),
    ...((a.iterations ?? b.iterations) && { iterations: [...(a.iterations ?? []), ...(b.iterations ?? [])] }),
  };
}

/** The same, with absent and null counts as 0. */
export function readUsage(value: unknown): Usage {
  if (typeof value !== 'object' || value === null) return EMPTY_USAGE;
  return replaceUsage(EMPTY_USAGE, soundUsage(value as Partial<Usage>));
}
