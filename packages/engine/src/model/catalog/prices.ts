/**
 * What a response costs (L9). Prices are data (`model-list.ts`); an unpriced model is undefined, never free.
 */
import type { ModelInfo, ModelPrice } from '../../protocol/model/model.ts';
import { promptTokens } from '../../protocol/model/usage.ts';
import type { EMPTY_USAGE, Usage } from '../../protocol/model/wire.ts';
import { modelInfo } from './model-info.ts';
import { WEB_SEARCH_USD } from './model-list.ts';

const PER = 1_000_000;

/** Nesting depth up to which responses inside responses are counted. */
const MAX_NESTING = 8;

/**
 * Cost of one response in USD, responses of other models inside it included; undefined if the price is
 * unknown. `infoOf` supplies prices of those models.
 */
export function computeCost(
  usage: Partial<Usage>,
  info: ModelInfo,
  infoOf: (model: string) => ModelInfo = (model) => modelInfo(model),
  depth: number = 0,
): number | undefined {
  if (info.price === undefined) return undefined;
  const { iterations = [] } = usage;
  const own = withoutFallback(usage);
  let cost = ownCost(own, priceFor(info.price, promptTokens(own)));
  cost += (usage.server_tool_use?.web_search_requests ?? 0) * WEB_SEARCH_USD;
  if (depth >= MAX_NESTING) return cost;
  for (const inner of iterations) {
    // Entries of type `message` are the response's own rounds, already in its totals.
    if (inner.model === undefined || inner.type === 'message') continue;
    const innerCost = computeCost(inner, infoOf(inner.model), infoOf, depth + 1);
    if (innerCost === undefined) return undefined;
    cost += innerCost;
  }
  return cost;
}

/** Of another model, which answered in its place: in the totals as well, at the price of that model. */
const isOwnAnswer = ({ type, model }: Iteration): boolean =>
  type === 'fallback_message' && model !== undefined;

/** What the asked model used itself, where another one answered in its place. */
export function withoutFallback<T extends Partial<Usage>>(usage: T): T {
  let own = usage;
  for (const part of usage.iterations ?? []) if (isOwnAnswer(part)) own = { ...own, ...without(own, part) };
  return own;
}

type Iteration = NonNullable<Usage['iterations']>[number];

function without(usage: Partial<Usage>, part: Partial<Usage>): Partial<Usage> {
  const less = (name: keyof typeof EMPTY_USAGE & keyof Usage) =>
    Math.max(0, Number(usage[name] ?? 0) - Number(part[name] ?? 0));
  const oneHour = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const partHour = part.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  return {
    ...usage,
    input_tokens: less('input_tokens'),
    output_tokens: less('output_tokens'),
    cache_read_input_tokens: less('cache_read_input_tokens'),
    cache_creation_input_tokens: less('cache_creation_input_tokens'),
    cache_creation: {
      ephemeral_5m_input_tokens: 0, // not read
      ephemeral_1h_input_tokens: Math.max(0, oneHour - partHour),
    },
  };
}

function priceFor(price: ModelPrice, prompt: number): Omit<ModelPrice, 'above'> {
  return price.above !== undefined && prompt > price.above.aboveTokens ? price.above.price : price;
}

function ownCost(usage: Partial<Usage>, price: Omit<ModelPrice, 'above'>): number {
  const written = usage.cache_creation_input_tokens ?? 0;
  const oneHour = Math.min(written, usage.cache_creation?.ephemeral_1h_input_tokens ?? 0);
  return (
    ((usage.input_tokens ?? 0) * price.input +
      (usage.output_tokens ?? 0) * price.output +
      (usage.cache_read_input_tokens ?? 0) * price.cacheRead +
      (written - oneHour) * price.cacheWrite5m +
      oneHour * price.cacheWrite1h) /
    PER
  );
}
