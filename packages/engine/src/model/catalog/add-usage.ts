/** Sums over token counts. */
import { EMPTY_USAGE, type Usage } from '../../protocol/model/wire.ts';

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
