/**
 * Facts about known models: prices in USD per million tokens, sizes in tokens. Data, from the public pricing
 * and model pages; settings override or add to it.
 */
import type { ModelPrice } from '../../protocol/model/model.ts';
import type { EffortLevel } from '../../protocol/model/wire.ts';

/** Date of these prices, ISO. */
const PRICES_AS_OF = '2026-11-24';
const PRICES_PUBLISHED_AT = 'https://claude.com/pricing';

export type ThinkingSupport = 'none' | 'enabled' | 'enabled+adaptive' | 'adaptive';

export interface ListedModel {
  readonly id: string;
  readonly displayName: string;
  readonly family: string;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly thinking: ThinkingSupport;
  /** Thinking on every request; the API refuses `disabled`. */
  readonly alwaysThinks: boolean;
  /** Default effort; undefined: the model has no effort levels. */
  readonly effort: EffortLevel | undefined;
  /** Supports `speed: fast`. */
  readonly fast: boolean;
  /** Has a window of 1M tokens with the long-context beta. */
  readonly longContextBeta: boolean;
  /** Knowledge cutoff, in words. */
  readonly knowledgeCutoff: string | undefined;
  readonly price: ModelPrice;
}

const K = 1000;
const M = 1_000_000;

function price(input: number, write5m: number, write1h: number, read: number, output: number): ModelPrice {
  return {
    input,
    output,
    cacheRead: read,
    cacheWrite5m: write5m,
    cacheWrite1h: write1h,
    asOf: PRICES_AS_OF,
    publishedAt: PRICES_PUBLISHED_AT,
  };
}

type Facts = Omit<ListedModel, 'id' | 'displayName' | 'family' | 'knowledgeCutoff' | 'price'>;
const LARGE: Facts = {
  contextWindow: M,
  maxOutputTokens: 128 * K,
  thinking: 'adaptive',
  alwaysThinks: false,
  effort: 'high',
  fast: false,
  longContextBeta: false,
};
const ALWAYS_THINKS: Facts = { ...LARGE, alwaysThinks: true };
/** The 5.5 models, and 5.2 of the larger ones. */
const NEWEST: Facts = { ...ALWAYS_THINKS, effort: 'medium' };
const MEDIUM: Facts = {
  ...LARGE,
  contextWindow: 200 * K,
  maxOutputTokens: 64 * K,
  thinking: 'enabled',
  effort: undefined,
};
const SMALL: Facts = { ...MEDIUM, maxOutputTokens: 32 * K };

function model(
  family: string,
  version: string,
  facts: Facts,
  knowledgeCutoff: string | undefined,
  cost: ModelPrice,
): ListedModel {
  const title = `${family.slice(0, 1).toUpperCase()}${family.slice(1)}`;
  return {
    id: `claude-${family}-${version.replace('.', '-')}`,
    displayName: `Claude ${title} ${version}`,
    family,
    ...facts,
    knowledgeCutoff,
    price: cost,
  };
}

const HAIKU_5_5: ModelPrice = {
  ...price(0.1, 0.125, 0.2, 0.01, 0.5),
  above: { aboveTokens: 100 * K, price: price(0.5, 0.625, 1, 0.05, 2.5) },
};

/** Newest of a family first: an unlisted model of a family is priced by the family's first entry. */
export const MODEL_LIST: readonly ListedModel[] = [
  model('fable', '5.2', NEWEST, 'June 2026', price(8, 10, 16, 0.2, 40)),
  model('fable', '5.1', ALWAYS_THINKS, 'June 2026', price(10, 12.5, 20, 0.25, 50)),
  model('fable', '5', ALWAYS_THINKS, 'January 2026', price(10, 12.5, 20, 1, 50)),
  model('mythos', '5.2', NEWEST, 'June 2026', price(8, 10, 16, 0.2, 40)),
  model('mythos', '5.1', ALWAYS_THINKS, 'June 2026', price(10, 12.5, 20, 0.25, 50)),
  model('mythos', '5', ALWAYS_THINKS, undefined, price(10, 12.5, 20, 1, 50)),
  model('opus', '5.5', { ...NEWEST, fast: true }, 'June 2026', price(4, 5, 8, 0.2, 20)),
  model('opus', '5', { ...LARGE, fast: true }, 'May 2026', price(5, 6.25, 10, 0.5, 25)),
  model('opus', '4.8', { ...LARGE, fast: true }, 'January 2026', price(5, 6.25, 10, 0.5, 25)),
  model('opus', '4.7', { ...LARGE, effort: 'xhigh' }, 'January 2026', price(5, 6.25, 10, 0.5, 25)),
  model('opus', '4.6', { ...LARGE, thinking: 'enabled+adaptive' }, 'May 2025', price(5, 6.25, 10, 0.5, 25)),
  model('opus', '4.5', { ...MEDIUM, effort: 'high' }, 'May 2025', price(5, 6.25, 10, 0.5, 25)),
  model('opus', '4.1', SMALL, undefined, price(15, 18.75, 30, 1.5, 75)),
  model('opus', '4', SMALL, undefined, price(15, 18.75, 30, 1.5, 75)),
  model('sonnet', '5.5', NEWEST, 'June 2026', price(2, 2.5, 4, 0.1, 10)),
  model('sonnet', '5', LARGE, 'January 2026', price(2, 2.5, 4, 0.2, 10)),
  model(
    'sonnet',
    '4.6',
    { ...MEDIUM, thinking: 'enabled+adaptive', effort: 'high', longContextBeta: true },
    'August 2025',
    price(3, 3.75, 6, 0.3, 15),
  ),
  model('sonnet', '4.5', { ...MEDIUM, longContextBeta: true }, 'January 2025', price(3, 3.75, 6, 0.3, 15)),
  model('sonnet', '4', { ...MEDIUM, longContextBeta: true }, 'January 2025', price(3, 3.75, 6, 0.3, 15)),
  model('haiku', '5.5', NEWEST, 'June 2026', HAIKU_5_5),
  model('haiku', '4.5', MEDIUM, 'February 2025', price(1, 1.25, 2, 0.1, 5)),
];

/** USD per web search request. */
export const WEB_SEARCH_USD = 0.01;

export const MODEL_ALIASES: Readonly<Record<string, string>> = {
  opus: 'claude-opus-5-5',
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
  fable: 'claude-fable-5-2',
};

/** Other names of these, as other programs know them. */
export const OTHER_ALIASES: Readonly<Record<string, string>> = { best: 'opus', opusplan: 'sonnet' };

/** Those of them that mean another family while plan mode is on. */
export const PLANNING_ALIASES: Readonly<Record<string, string>> = { opusplan: 'opus' };
