/** Whose model a session asks, and which further providers it knows. */
import type { BaseOptions } from '../../options/options.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import {
  DEFAULT_PROVIDER,
  PROVIDER_TYPES,
  type ProviderType,
  providerFacts,
  providerType,
} from '../../protocol/model/provider.ts';
import type { ProviderConfig } from '../../protocol/model/provider-config.ts';
import type { EnvironmentValues } from '../read/read-environment.ts';
import type { Settings } from '../settings-keys.ts';
import { addressed, knownProviders } from './known-providers.ts';

interface ProviderInput {
  readonly options: BaseOptions;
  readonly environment: Pick<EnvironmentValues, 'clouds' | 'options' | 'providerAddresses'>;
  readonly settings: Settings;
  /** The address that the caller gives. */
  readonly baseUrl: string | undefined;
}

interface ResolvedProvider {
  readonly provider: string;
  readonly type: ProviderType;
  /** What asks for it, for errors. */
  readonly askedBy: string;
  /** The variable that asks for a cloud: models of other providers are not asked then. */
  readonly lockedBy: string | undefined;
  /** Its address is not among its own fields. */
  readonly needsBaseUrl: boolean;
  /** The provider that the caller's address is of: that of the model, where it is qualified. */
  readonly addressed: string;
  /** Those of the options beside those of the settings, and servers whose names are known. */
  readonly providers: Readonly<Record<string, ProviderConfig>>;
}

/**
 * Options beat the environment, which beats settings. A variable that asks for a cloud is obeyed or refused,
 * never passed over: where only one provider is allowed, nothing may go elsewhere. Throws `invalid_settings`.
 */
export function resolveProvider({
  options,
  environment,
  settings,
  baseUrl,
}: ProviderInput): ResolvedProvider {
  const known = knownProviders(environment.providerAddresses);
  const providers: Record<string, ProviderConfig> = {
    ...known,
    ...settings.providers,
    ...options.providers,
  };
  const [cloud, another] = environment.clouds;
  if (cloud !== undefined && another !== undefined)
    throw invalid(
      `${cloud.variable} and ${another.variable} are both set. Unset all but the one that is to be used.`,
    );
  const asked = options.provider ?? environment.options.provider;
  const provider = asked ?? cloud?.provider ?? settings.provider ?? DEFAULT_PROVIDER;
  const type = providers[provider]?.type ?? providerType(provider);
  if (type === undefined)
    throw invalid(
      `There is no provider "${provider}". Known are ${[...PROVIDER_TYPES, ...Object.keys(providers)].join(', ')}; name others under providers in the settings.`,
    );
  if (cloud !== undefined && type !== cloud.provider)
    throw invalid(
      `${cloud.variable} is set, but the provider "${provider}" is asked for, so nothing was sent. Unset one of them.`,
    );
  const askedBy = asked === undefined && cloud !== undefined ? cloud.variable : `The provider "${provider}"`;
  const needsBaseUrl = providers[provider]?.baseUrl === undefined;
  const model = options.model ?? environment.options.model ?? settings.model ?? '';
  const whose =
    asked === undefined && baseUrl !== undefined ? (findPrefix(model, providers) ?? provider) : provider;
  const moved = providers[whose] ?? unaddressed(whose);
  if (baseUrl !== undefined && moved !== undefined)
    if (providers[whose] === known[whose] || whose !== provider) providers[whose] = { ...moved, baseUrl };
  return { provider, type, askedBy, lockedBy: cloud?.variable, needsBaseUrl, addressed: whose, providers };
}

/** A type by its own name, whose address the caller gives; undefined: no address of it is given. */
function unaddressed(name: string): ProviderConfig | undefined {
  const type = providerType(name);
  const isGiven = type !== undefined && providerFacts(type).reachedBy === 'given_address';
  return isGiven ? addressed(type) : undefined;
}

/** The provider that the name of a model begins with; undefined: none that has an address. */
function findPrefix(model: string, providers: Readonly<Record<string, ProviderConfig>>): string | undefined {
  const [prefix = '', ...rest] = model.split(':');
  const isAddressed = Object.hasOwn(providers, prefix) || unaddressed(prefix) !== undefined;
  return rest.length > 0 && isAddressed ? prefix : undefined;
}

function invalid(problem: string): TurnwrightError {
  return new TurnwrightError('invalid_settings', problem);
}
