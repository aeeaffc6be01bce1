/** The provider of the configured model, beside model calls. Loaded where it is not Anthropic's API alone. */
import { TurnwrightError } from '../../protocol/errors.ts';
import { type CloudName, cloudOf } from '../../protocol/model/provider.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';
import type { QueryEngineConfig } from '../config.ts';
import {
  isPlain,
  lockedOut,
  missingKey,
  named,
  ownName,
  ownProvider,
  type ProviderAccess,
  requireProvider,
  resolveAccess,
  resolvedModel,
} from './open-model-client.ts';

/** Who is asked for the configured model, how that one is reached, and by whose key. */
export function configuredAccess(config: Omit<QueryEngineConfig, 'tools'>) {
  const { provider: other, model } = named(resolvedModel(config.model, config), config);
  const name = other ?? ownName(config);
  const isOwn = name === ownName(config);
  const provider = isOwn ? ownProvider(config) : requireProvider(name, config);
  const access: ProviderAccess = resolveAccess(provider, config);
  const { apiKey, authToken } = access;
  const hasKey = apiKey !== undefined || authToken !== undefined;
  return {
    ...access,
    name,
    provider,
    /** Its name there. */
    model,
    isOwn,
    /** What goes before the names of its models. */
    prefix: isOwn ? '' : `${name}:`,
    credential: { apiKey, authToken },
    keySource: isPlain(provider) ? config.apiKeySource : hasKey ? provider.apiKeyEnv : undefined,
    /** Why it must not be asked, in one sentence; undefined: it may. */
    refusal: lockedOut(name, config) ?? missingKey(name, config),
  };
}

/** How the model of a provider is reached. */
export interface ProviderReach {
  /** Why it cannot be, as an error to throw; undefined: it can. */
  readonly unreachable?: TurnwrightError;
  /** The cloud that is asked; undefined: none. */
  readonly cloud?: CloudName;
  /** It is reached without the credentials of Anthropic's API. */
  readonly isConfigured?: boolean;
}

/** A variable that asks for a cloud is obeyed, or nothing is sent at all. */
export async function providerReach({
  config,
  providerAskedBy,
}: Pick<Resolution, 'config' | 'providerAskedBy'>): Promise<ProviderReach> {
  const { isOwn, name, provider, refusal } = configuredAccess(config);
  if (refusal !== undefined) return unreachable(refusal);
  const cloud = cloudOf(provider.type);
  if (cloud === undefined) return { isConfigured: !isPlain(provider) };
  const { providerAccess } = await import('./provider-wires.ts');
  const access = await providerAccess(provider, config);
  if (!('problem' in access)) return { cloud };
  const askedBy = isOwn ? providerAskedBy : `The provider "${name}"`;
  return unreachable(`${askedBy} is set, but cannot be obeyed. ${access.problem}`);
}

function unreachable(sentence: string): ProviderReach {
  return { unreachable: new TurnwrightError('invalid_settings', sentence) };
}
