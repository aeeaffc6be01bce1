/** What a host may want to show about a session: commands, agents, models, MCP servers, the account. */

import { grouped } from '@turnwright/base/text/figures-and-times.ts';
import { modelInfo, resolveModelAlias } from '../../model/catalog/model-info.ts';
import { MODEL_ALIASES } from '../../model/catalog/model-list.ts';
import type { ModelPrice } from '../../protocol/model/model.ts';
import { providerFacts, recordedName } from '../../protocol/model/provider.ts';
import { EFFORT_LEVELS, type EffortLevel } from '../../protocol/model/wire.ts';
import type { AgentDefinition, QueryEngineConfig } from '../config.ts';
import { ownProvider } from '../models/open-model-client.ts';

export interface AgentInfo {
  readonly name: string;
  readonly description: string;
  /** Absent: that of the session. */
  readonly model?: string;
}

export interface ModelChoice {
  /** For `setModel`. */
  readonly value: string;
  /** The id that requests name. */
  readonly resolvedModel: string;
  readonly displayName: string;
  readonly description: string;
  readonly supportsEffort: boolean;
  /** Absent if it takes none. */
  readonly supportedEffortLevels?: readonly EffortLevel[];
  readonly supportsAdaptiveThinking: boolean;
  /** Tokens. */
  readonly contextWindow: number;
  /** USD per million tokens; absent: not known. */
  readonly price?: ModelPrice;
}

export interface AccountInfo {
  /** Where the credential is from; `none` without one. */
  readonly apiKeySource: string;
  /** `firstParty`, a cloud as `bedrock`, or the name of a configured provider. */
  readonly apiProvider: string;
}

const CHOICES = ['default', ...Object.keys(MODEL_ALIASES)];

/**
 * The host's, those of files, and those of plugins as they were read last; of two with one name the first
 * counts.
 */
export function agentsIn({
  agents = [],
  plugins,
}: Pick<QueryEngineConfig, 'agents' | 'plugins'>): readonly AgentDefinition[] {
  const ofPlugins = (plugins?.agents ?? []).filter(({ name }) => !agents.some((own) => own.name === name));
  return ofPlugins.length === 0 ? agents : [...agents, ...ofPlugins];
}

export function agentList(config: QueryEngineConfig): readonly AgentInfo[] {
  return agentsIn(config).map(({ name, description, model }) => ({
    name,
    description,
    ...(model !== undefined && { model }),
  }));
}

/**
 * The aliases, and the configured model when it is none of them. A provider of other models knows no alias:
 * then the configured ones.
 */
export function modelList(config: QueryEngineConfig): readonly ModelChoice[] {
  const own = config.model;
  const env = config.env ?? {};
  const choices = servesClaude(config) ? CHOICES : ['default', ...Object.keys(config.modelOverrides ?? {})];
  const values: readonly string[] =
    own === undefined || choices.some((choice) => choice === own) ? choices : [...choices, own];
  return values.map((value) => {
    const resolvedModel = resolveModelAlias(value === 'default' ? (own ?? value) : value, env);
    const info = modelInfo(resolvedModel, config.modelOverrides);
    return {
      value,
      resolvedModel,
      displayName: value === 'default' ? `Default (${info.displayName})` : info.displayName,
      description: `${info.displayName}, ${grouped(info.contextWindow)} tokens of context`,
      supportsEffort: info.supportsEffort,
      ...(info.supportsEffort && { supportedEffortLevels: EFFORT_LEVELS }),
      supportsAdaptiveThinking: info.supportsAdaptiveThinking,
      contextWindow: info.contextWindow,
      ...(info.price !== undefined && { price: info.price }),
    };
  });
}

const servesClaude = (config: QueryEngineConfig): boolean =>
  providerFacts(ownProvider(config).type).servesClaude === true;

export function toAccountInfo(config: QueryEngineConfig): AccountInfo {
  return { apiKeySource: apiKeySourceOf(config), apiProvider: recordedName(config.provider) };
}

export function apiKeySourceOf({ apiKeySource, apiKey, authToken }: QueryEngineConfig): string {
  return apiKeySource ?? (apiKey === undefined && authToken === undefined ? 'none' : 'option');
}
