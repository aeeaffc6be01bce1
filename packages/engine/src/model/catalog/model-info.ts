/** Facts about a model: by its id, else by its family, else conservative defaults. */
import type { ModelInfo } from '../../protocol/model/model.ts';
import {
  type ListedModel,
  MODEL_ALIASES,
  MODEL_LIST,
  OTHER_ALIASES,
  PLANNING_ALIASES,
  type ThinkingSupport,
} from './model-list.ts';

const LONG_CONTEXT_SUFFIX = '[1m]';
/** Beta that enables a window of 1M tokens for models that support it. */
export const LONG_CONTEXT_BETA = 'context-1m-2025-08-07';
const LONG_CONTEXT_TOKENS = 1_000_000;
export const UNKNOWN_WINDOW_TOKENS = 200_000;
const UNKNOWN_MAX_OUTPUT_TOKENS = 32_000;
const UNLISTED_EFFORT = 'high';

/** Overrides from settings, by model id as the user writes it. */
export type ModelOverrides = Readonly<Record<string, Partial<Omit<ModelInfo, 'id'>>>>;

/** What an endpoint reports of a model. Absent: it does not say. */
export type StatedFacts = Partial<
  Pick<
    ModelInfo,
    | 'contextWindow'
    | 'maxOutputTokens'
    | 'price'
    | 'supportsAdaptiveThinking'
    | 'supportsEffort'
    | 'supportsImages'
    | 'supportsThinking'
    | 'supportsTools'
  >
>;

/**
 * Sizes, capabilities and price of a model. `source` is where they came from: `list`, `family`, `endpoint`,
 * `settings`, `default`.
 * @param stated What the endpoint reports about a model that is in no table.
 * @param betas Betas of every request: one of them may enable a larger window.
 */
export function modelInfo(
  model: string,
  overrides: ModelOverrides = {},
  stated?: StatedFacts,
  betas: readonly string[] = [],
): ModelInfo {
  const base = statedInfo(listedInfo(model, betas), stated);
  const override = findOverride(model, overrides);
  if (override === undefined) return base;
  return { ...base, ...override, ...sizes(override, base), source: override.source ?? 'settings' };
}

/**
 * Whether the list or settings have its sizes, so that the endpoint need not be asked. Sizes of a family are
 * a guess.
 */
export function isTabled(model: string, overrides: ModelOverrides = {}): boolean {
  const declared = findOverride(model, overrides)?.contextWindow ?? 0;
  return declared > 0 || lookUp(model)?.source === 'list';
}

function findOverride(model: string, overrides: ModelOverrides): ModelOverrides[string] | undefined {
  return overrides[model] ?? overrides[wireModel(model)];
}

function statedInfo(base: ModelInfo, stated: StatedFacts | undefined): ModelInfo {
  if (stated === undefined) return base;
  const { contextWindow, maxOutputTokens } = sizes(stated, base);
  const least = asksLongContext(base.id) ? LONG_CONTEXT_TOKENS : 0;
  const isSized = stated.contextWindow !== undefined || stated.maxOutputTokens !== undefined;
  const isGuess = base.source === 'default' && stated.maxOutputTokens === undefined;
  return {
    ...base,
    ...stated,
    contextWindow: Math.max(least, contextWindow),
    // An answer that could fill a small window would leave no room for its prompt.
    maxOutputTokens: isGuess ? Math.min(maxOutputTokens, Math.ceil(contextWindow / 4)) : maxOutputTokens,
    ...(isSized && { source: 'endpoint' }),
  };
}

/** A size of 0 counts as undeclared (F24). */
function sizes(
  override: Partial<ModelInfo>,
  base: ModelInfo,
): Pick<ModelInfo, 'contextWindow' | 'maxOutputTokens'> {
  const positive = (value: number | undefined, otherwise: number) =>
    value !== undefined && Number.isFinite(value) && value > 0 ? value : otherwise;
  return {
    contextWindow: positive(override.contextWindow, base.contextWindow),
    maxOutputTokens: positive(override.maxOutputTokens, base.maxOutputTokens),
  };
}

function listedInfo(model: string, betas: readonly string[]): ModelInfo {
  const known = lookUp(model);
  if (known === undefined) return unlistedInfo(model);
  const { listed, source } = known;
  const isNew = !isFirstGeneration(model);
  const isLong = asksLongContext(model) || (listed.longContextBeta && betas.includes(LONG_CONTEXT_BETA));
  return {
    id: model,
    displayName: source === 'list' ? listed.displayName : wireModel(model),
    contextWindow: isLong ? Math.max(LONG_CONTEXT_TOKENS, listed.contextWindow) : listed.contextWindow,
    maxOutputTokens: listed.maxOutputTokens,
    supportsAdaptiveThinking:
      isNew && (listed.thinking === 'adaptive' || listed.thinking === 'enabled+adaptive'),
    alwaysThinks: isNew && listed.alwaysThinks,
    supportsEffort: isNew && listed.effort !== undefined,
    defaultEffort: source === 'list' ? listed.effort : listed.effort && UNLISTED_EFFORT,
    supportsFastMode: source === 'list' && listed.fast,
    ...(source === 'list' && { knowledgeCutoff: listed.knowledgeCutoff }),
    price: source === 'list' ? listed.price : { ...listed.price, isAssumed: true },
    source,
  };
}

/** `claude-3-5-haiku` and similar: models older than the list's entries about thinking and effort. */
function isFirstGeneration(model: string): boolean {
  return /^claude-\d/.test(canonicalModel(model));
}

/**
 * A new Claude model has the capabilities of the newest listed ones; of other vendors' models nothing is
 * assumed.
 */
function unlistedInfo(model: string): ModelInfo {
  const isClaude = isClaudeModel(model);
  return {
    id: model,
    displayName: wireModel(model),
    contextWindow: asksLongContext(model) ? LONG_CONTEXT_TOKENS : UNKNOWN_WINDOW_TOKENS,
    maxOutputTokens: UNKNOWN_MAX_OUTPUT_TOKENS,
    supportsAdaptiveThinking: isClaude,
    supportsEffort: isClaude,
    ...(isClaude && { defaultEffort: UNLISTED_EFFORT }),
    source: 'default',
  };
}

/** The forms of thinking that this model supports; `none` for an unknown model. */
export function thinkingSupport(model: string, info: ModelInfo): ThinkingSupport {
  const listed = isFirstGeneration(model) ? 'none' : (lookUp(model)?.listed.thinking ?? 'none');
  if (!info.supportsAdaptiveThinking) return listed === 'none' ? 'none' : 'enabled';
  return listed === 'none' || listed === 'enabled' ? 'adaptive' : listed;
}

/** The id that is sent: without the `[1m]` suffix. */
export function wireModel(model: string): string {
  return asksLongContext(model) ? model.slice(0, -LONG_CONTEXT_SUFFIX.length) : model;
}

export function asksLongContext(model: string): boolean {
  return model.toLowerCase().endsWith(LONG_CONTEXT_SUFFIX);
}

/** Whether this is a Claude model, listed or not, in any spelling of a gateway. */
export function isClaudeModel(model: string): boolean {
  return canonicalModel(model).startsWith('claude-');
}

/**
 * Resolves `opus`, `sonnet[1m]`, … to a full id; `ANTHROPIC_DEFAULT_<FAMILY>_MODEL` overrides. Other names
 * are returned unchanged. `default` (or '') means `ANTHROPIC_MODEL`, else opus. The `[1m]` suffix is dropped
 * where the model has that window anyway. `planning`: plan mode is on.
 */
export function resolveModelAlias(name: string, env: Env, planning = false): string {
  const model = withoutAlias(name, env, planning);
  const isLong = asksLongContext(model) && (lookUp(model)?.listed.contextWindow ?? 0) >= LONG_CONTEXT_TOKENS;
  return isLong ? wireModel(model) : model;
}

type Env = Readonly<Record<string, string | undefined>>;

function withoutAlias(name: string, env: Env, planning: boolean): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.toLowerCase() === 'default') {
    const preset = env['ANTHROPIC_MODEL']?.trim() ?? '';
    return preset === '' || preset.toLowerCase() === 'default'
      ? withoutAlias('opus', env, planning)
      : withoutAlias(preset, env, planning);
  }
  const written = wireModel(trimmed).toLowerCase();
  const family = (planning ? PLANNING_ALIASES[written] : undefined) ?? OTHER_ALIASES[written] ?? written;
  const target = MODEL_ALIASES[family];
  if (target === undefined) return trimmed;
  const chosen = env[`ANTHROPIC_DEFAULT_${family.toUpperCase()}_MODEL`]?.trim() || target;
  return asksLongContext(trimmed) && !asksLongContext(chosen) ? chosen + LONG_CONTEXT_SUFFIX : chosen;
}

/**
 * The canonical name of a model: dates, provider prefixes and version suffixes are dropped
 * (`us.anthropic.claude-opus-4-1-20250805-v1:0` and `claude-opus-4.1` become `claude-opus-4-1`).
 */
export function canonicalModel(model: string): string {
  let known = canonical.get(model);
  if (known === undefined) {
    known = canonicalName(model);
    if (canonical.size === MAX_REMEMBERED) canonical.clear();
    canonical.set(model, known);
  }
  return known;
}

/** Cache: looked up several times a turn, for few names. */
const canonical = new Map<string, string>();
const MAX_REMEMBERED = 100;

function canonicalName(model: string): string {
  const name = wireModel(model).toLowerCase();
  if (MODEL_LIST.some(({ id }) => id === name)) return name;
  const claude = /claude-[a-z0-9.-]+/.exec(name)?.[0];
  if (claude === undefined) return name;
  return claude
    .replaceAll('.', '-')
    .replace(/-v\d+$/, '')
    .replace(/-(?:\d{8}|latest)$/, '')
    .replace(/-0$/, '');
}

interface Found {
  readonly listed: ListedModel;
  readonly source: 'list' | 'family';
}

/** Cache by canonical name. */
const found = new Map<string, Found | undefined>();

function lookUp(model: string): Found | undefined {
  const name = canonicalModel(model);
  if (!found.has(name)) {
    if (found.size === MAX_REMEMBERED) found.clear();
    found.set(name, search(name));
  }
  return found.get(name);
}

function search(name: string): Found | undefined {
  const exact = MODEL_LIST.find((entry) => entry.id === name);
  if (exact !== undefined) return { listed: exact, source: 'list' };
  if (!name.startsWith('claude-')) return undefined;
  const words = name.split('-');
  const family = MODEL_LIST.find((entry) => words.includes(entry.family));
  return family && { listed: family, source: 'family' };
}

/** Decided by the URL, else by the model: a gateway that offers a Claude model forwards requests. */
export function asksAnthropic(baseUrl: string, model: string): boolean {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  return host === 'anthropic.com' || host.endsWith('.anthropic.com') || isClaudeModel(model);
}
