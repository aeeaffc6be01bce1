/**
 * A model's name at each cloud provider. Names that are a provider's own already (a prefix, a date behind
 * `@`, an ARN, a deployment) are sent as they are.
 */
import { canonicalModel } from '../catalog/model-info.ts';

/** Bedrock's name behind `anthropic.`, where it is not the model's id. */
const BEDROCK_NAMES: Readonly<Record<string, string>> = {
  'claude-opus-4-6': 'claude-opus-4-6-v1',
  'claude-opus-4-5': 'claude-opus-4-5-20251101-v1:0',
  'claude-opus-4-1': 'claude-opus-4-1-20250805-v1:0',
  'claude-opus-4': 'claude-opus-4-20250514-v1:0',
  'claude-sonnet-4-5': 'claude-sonnet-4-5-20250929-v1:0',
  'claude-sonnet-4': 'claude-sonnet-4-20250514-v1:0',
  'claude-haiku-4-5': 'claude-haiku-4-5-20251001-v1:0',
};

/** The date behind `@` in Vertex' names; newer models have none. */
const VERTEX_DATES: Readonly<Record<string, string>> = {
  'claude-opus-4-5': '20251101',
  'claude-opus-4-1': '20250805',
  'claude-opus-4': '20250514',
  'claude-sonnet-4-5': '20250929',
  'claude-sonnet-4': '20250514',
  'claude-haiku-4-5': '20251001',
};

/** Models whose inference profile for Asia and the Pacific is one; newer ones have one per country. */
const APAC_MODELS: readonly string[] = ['claude-opus-4-1', 'claude-opus-4', 'claude-sonnet-4'];

/**
 * The inference profile of the region's geography, so that a prompt stays in it: `claude-opus-4-1` in
 * `us-west-2` is `us.anthropic.claude-opus-4-1-20250805-v1:0`.
 */
export function bedrockModel(model: string, region: string): string {
  if (!isPlainClaude(model)) return model;
  const name = canonicalModel(model);
  return `${geography(region, name)}.anthropic.${BEDROCK_NAMES[name] ?? name}`;
}

function geography(region: string, model: string): string {
  if (region.startsWith('us-gov-')) return 'us-gov';
  if (region.startsWith('us-') || region.startsWith('eu-')) return region.slice(0, 2);
  if (APAC_MODELS.includes(model)) return 'apac';
  if (region === 'ap-northeast-1' || region === 'ap-northeast-3') return 'jp';
  if (region === 'ap-southeast-2' || region === 'ap-southeast-4') return 'au';
  return 'global';
}

/** `claude-opus-4-1` is `claude-opus-4-1@20250805`. */
export function vertexModel(model: string): string {
  if (!isPlainClaude(model)) return model;
  const name = canonicalModel(model);
  const date = /-(\d{8})$/.exec(model)?.[1] ?? VERTEX_DATES[name];
  return date === undefined ? name : `${name}@${date}`;
}

/** A name of the first party: `claude-…` with a date at most. */
function isPlainClaude(model: string): boolean {
  return /^claude-[a-z0-9-]+$/.test(model) && !/-v\d+$/.test(model);
}

/**
 * The variables that may name the region of a model, the most specific first: `VERTEX_REGION_CLAUDE_4_1_OPUS`
 * and `VERTEX_REGION_CLAUDE_OPUS_4_1`.
 */
export function vertexRegionVariables(model: string): readonly string[] {
  const words = canonicalModel(model).replace(/@.*$/, '').split('-').slice(1);
  const numbers = words.filter((word) => /^\d+$/.test(word));
  const names = words.filter((word) => !/^(?:\d+|v\d+)$/.test(word));
  if (numbers.length === 0 || names.length === 0) return [];
  const version = (numbers.length === 1 ? [...numbers, '0'] : numbers).join('_');
  const family = names.join('_').toUpperCase();
  return [`VERTEX_REGION_CLAUDE_${version}_${family}`, `VERTEX_REGION_CLAUDE_${family}_${numbers.join('_')}`];
}
