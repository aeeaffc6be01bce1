/** `turnwright models`: what the configured endpoint offers, with sizes, prices and where these are from. */
import {
  type AvailableModels,
  DEFAULT_PROVIDER,
  listModels,
  type ModelInfo,
  providerFacts,
} from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { alignedRows, tokens } from '../words/units.ts';
import type { World } from '../world.ts';

/** Time limit of the request, and of an apiKeyHelper. */
const LIST_LIMIT_MS = 10_000;

export async function runModelsCommand(
  { cwd, env, out }: Pick<World, 'cwd' | 'env' | 'out'>,
  { json }: { readonly json: boolean },
): Promise<ExitCode> {
  const place = { cwd, env, projectTrusted: false, trustRecorded: true };
  const available = await listModels({ ...place, signal: AbortSignal.timeout(LIST_LIMIT_MS) });
  const text = json ? JSON.stringify(available, undefined, 2) : visible(modelsTable(available));
  await out.write(`${text}\n`);
  return EXIT.success;
}

const HEAD = ['model', 'sizes from', 'window', 'max output', 'input', 'cache read', 'output'];
/** The model and the source of its sizes are words; the other columns are figures. */
const WORD_COLUMNS = 2;

export function modelsTable({ models, unlisted, defaultModel, aliases, ...asked }: AvailableModels): string {
  const where = describePlace(asked);
  const title =
    unlisted === undefined
      ? `Models of ${where}; prices in USD per million tokens.`
      : `Models of the built-in list and the settings; prices in USD per million tokens. ${where} was not read: ${unlisted}`;
  // A column that most endpoints have nothing for.
  const lacks = models.map(formatUnsupported);
  const isFull = lacks.some((words) => words !== '');
  const rows = [HEAD, ...models.map((model) => toCells(model, defaultModel))];
  const full = rows.map((cells, n) =>
    cells.toSpliced(WORD_COLUMNS, 0, n === 0 ? 'takes no' : (lacks[n - 1] ?? '')),
  );
  const table = isFull ? alignedRows(full, WORD_COLUMNS + 1) : alignedRows(rows, WORD_COLUMNS);
  const names = Object.entries(aliases).map(([name, model]) => `${name} is ${model}`);
  return [title, '', ...table, '', `* the default. ${names.join(', ')}.`, ...pricesFrom(models)].join('\n');
}

/** A cloud has no address of its own here. */
function describePlace({ provider, baseUrl }: Pick<AvailableModels, 'provider' | 'baseUrl'>): string {
  if (provider === DEFAULT_PROVIDER) return baseUrl;
  return providerFacts(provider).reachedBy === 'cloud' ? provider : `${provider} (${baseUrl})`;
}

function toCells({ id, contextWindow, maxOutputTokens, price, source }: ModelInfo, defaultModel: string) {
  const usd = (amount: number | undefined) => (amount === undefined ? '?' : String(amount));
  return [
    id === defaultModel ? `${id} *` : id,
    source === 'default' ? 'a guess' : source,
    tokens(contextWindow),
    tokens(maxOutputTokens),
    usd(price?.input),
    usd(price?.cacheRead),
    price?.above === undefined ? usd(price?.output) : `${usd(price.output)} +`,
  ];
}

/** What it is known not to take. */
function formatUnsupported({ supportsImages, supportsTools, supportsThinking }: ModelInfo): string {
  return [
    ...(supportsImages === false ? ['images'] : []),
    ...(supportsTools === false ? ['tools'] : []),
    ...(supportsThinking === false ? ['thinking'] : []),
  ].join(', ');
}

function pricesFrom(models: readonly ModelInfo[]): readonly string[] {
  const lists = models.flatMap(({ price }) =>
    price?.asOf === undefined ? [] : [`${price.publishedAt ?? 'the settings'}, ${price.asOf}`],
  );
  const own = models.some(({ price, source }) => source === 'endpoint' && price && price.asOf === undefined);
  const tiers = models.flatMap(({ id, price }) => {
    if (price?.above === undefined) return [];
    const { aboveTokens, price: dearer } = price.above;
    return `+ ${id}: ${dearer.input} and ${dearer.output} for prompts above ${tokens(aboveTokens)} tokens.`;
  });
  const lines = [...new Set(lists)].map((list) => `Prices: ${list}.`);
  const unpriced = models.some(({ price }) => price === undefined);
  return [
    ...tiers,
    ...lines,
    ...(own ? ['Prices without a date: as the endpoint states them.'] : []),
    ...(unpriced ? ['?: no price is known; give one under "models" in the settings.'] : []),
  ];
}
