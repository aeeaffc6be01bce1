/** Facts about models for the judge: sizes and capabilities, from public model pages. Without prices. */

/** Sizes and abilities of a model that the server offers. Sizes in tokens. */
export interface ModelFacts {
  readonly id: string;
  readonly displayName: string;
  /** Tokens of input and output together. */
  readonly window: number;
  readonly maxOutput: number;
  /** The shortest prefix that is cached, in tokens. */
  readonly minCacheTokens: number;
  /** Continues a final assistant message; newer models refuse it. */
  readonly prefill: boolean;
  /** Accepts `role: "system"` inside `messages`. */
  readonly systemMessages: boolean;
  readonly adaptiveThinking: boolean;
  /** The window is 1M with the `context-1m` beta. */
  readonly longContextBeta: boolean;
}

const MILLION = 1_000_000;

const NEWEST = {
  window: MILLION,
  maxOutput: 128_000,
  minCacheTokens: 512,
  prefill: false,
  systemMessages: true,
  adaptiveThinking: true,
  longContextBeta: false,
} as const;
const OLDER = {
  window: 200_000,
  maxOutput: 64_000,
  minCacheTokens: 1024,
  prefill: true,
  systemMessages: false,
  adaptiveThinking: false,
  longContextBeta: false,
} as const;

function model(id: string, displayName: string, facts: Omit<ModelFacts, 'id' | 'displayName'>): ModelFacts {
  return { id, displayName, ...facts };
}

const CATALOGUE: readonly ModelFacts[] = [
  model('claude-fable-5-2', 'Claude Fable 5.2', NEWEST),
  model('claude-fable-5-1', 'Claude Fable 5.1', NEWEST),
  model('claude-fable-5', 'Claude Fable 5', NEWEST),
  model('claude-mythos-5-2', 'Claude Mythos 5.2', NEWEST),
  model('claude-mythos-5-1', 'Claude Mythos 5.1', NEWEST),
  model('claude-mythos-5', 'Claude Mythos 5', NEWEST),
  model('claude-opus-5-5', 'Claude Opus 5.5', NEWEST),
  model('claude-opus-5', 'Claude Opus 5', NEWEST),
  model('claude-opus-4-8', 'Claude Opus 4.8', { ...NEWEST, minCacheTokens: 1024 }),
  model('claude-opus-4-7', 'Claude Opus 4.7', { ...NEWEST, minCacheTokens: 2048, systemMessages: false }),
  model('claude-opus-4-6', 'Claude Opus 4.6', { ...NEWEST, minCacheTokens: 4096, systemMessages: false }),
  model('claude-opus-4-5', 'Claude Opus 4.5', { ...OLDER, minCacheTokens: 4096 }),
  model('claude-opus-4-1', 'Claude Opus 4.1', { ...OLDER, maxOutput: 32_000 }),
  model('claude-opus-4', 'Claude Opus 4', { ...OLDER, maxOutput: 32_000 }),
  model('claude-sonnet-5-5', 'Claude Sonnet 5.5', { ...NEWEST, minCacheTokens: 1024 }),
  model('claude-sonnet-5', 'Claude Sonnet 5', { ...NEWEST, minCacheTokens: 1024 }),
  model('claude-sonnet-4-6', 'Claude Sonnet 4.6', {
    ...OLDER,
    prefill: false,
    adaptiveThinking: true,
    longContextBeta: true,
  }),
  model('claude-sonnet-4-5', 'Claude Sonnet 4.5', { ...OLDER, longContextBeta: true }),
  model('claude-sonnet-4', 'Claude Sonnet 4', { ...OLDER, longContextBeta: true }),
  model('claude-haiku-5-5', 'Claude Haiku 5.5', { ...NEWEST, minCacheTokens: 1024 }),
  model('claude-haiku-4-5', 'Claude Haiku 4.5', { ...OLDER, minCacheTokens: 4096 }),
];

export interface ModelCatalogue {
  readonly all: readonly ModelFacts[];
  /** The model of this id, with or without a date; undefined: unknown. */
  find(id: string): ModelFacts | undefined;
}

/**
 * @param windows Windows in tokens by model id; an id that is unknown becomes a model of the newest kind.
 * @param overrides Other facts by model id, in the same way.
 */
export function modelCatalogue(
  windows: Readonly<Record<string, number>> = {},
  overrides: Readonly<Record<string, Partial<Omit<ModelFacts, 'id'>>>> = {},
): ModelCatalogue {
  const byId = new Map(CATALOGUE.map((facts) => [facts.id, facts]));
  const known = (id: string) => byId.get(id) ?? model(id, id, NEWEST);
  for (const [id, facts] of Object.entries(overrides)) byId.set(id, { ...known(id), ...facts });
  for (const [id, window] of Object.entries(windows)) {
    const facts = known(id);
    byId.set(id, { ...facts, window, maxOutput: facts.maxOutput });
  }
  return {
    all: [...byId.values()],
    find: (id) => byId.get(id) ?? byId.get(id.replace(/-(0|\d{8}|latest)$/, '')),
  };
}

/** Window of this request, in tokens. */
export function pickWindow(facts: ModelFacts, betas: readonly string[]): number {
  const long = facts.longContextBeta && betas.some((beta) => beta.startsWith('context-1m-'));
  return long ? Math.max(facts.window, MILLION) : facts.window;
}
