/** Whose model a session asks, and which further providers it knows. */
import type { BaseOptions } from '../../options/options.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import { PROVIDER_TYPES, type ProviderConfig, type ProviderType } from '../../protocol/model/provider.ts';
import type { EnvironmentValues } from '../read/read-environment.ts';
import type { Settings } from '../settings.ts';
import { localServers } from './local-servers.ts';

interface ProviderInput {
  readonly options: BaseOptions;
  readonly environment: Pick<EnvironmentValues, 'clouds' | 'ollamaHost' | 'options'>;
  readonly settings: Settings;
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
  /** Those of the options beside those of the settings, and servers whose names are known. */
  readonly providers: Readonly<Record<string, ProviderConfig>>;
}

/**
 * Options beat the environment, which beats settings. A variable that asks for a cloud is obeyed or refused,
 * never passed over: where only one provider is allowed, nothing may go elsewhere. Throws `invalid_settings`.
 */
export function resolveProvider({ options, environment, settings }: ProviderInput): ResolvedProvider {
  const local = localServers(environment.ollamaHost);
  const providers = { ...local, ...settings.providers, ...options.providers };
  const [cloud, another] = environment.clouds;
  if (cloud !== undefined && another !== undefined)
    throw invalid(
      `${cloud.variable} and ${another.variable} are both set. Unset all but the one that is to be used.`,
    );
  const asked = options.provider ?? environment.options.provider;
  const provider = asked ?? cloud?.provider ?? settings.provider ?? 'anthropic';
  const type = providers[provider]?.type ?? PROVIDER_TYPES.find((known) => known === provider);
  if (type === undefined)
    throw invalid(
      `There is no provider "${provider}". Known are ${[...PROVIDER_TYPES, ...Object.keys(providers)].join(', ')}; name others under providers in the settings.`,
    );
  if (cloud !== undefined && type !== cloud.provider)
    throw invalid(
      `${cloud.variable} is set, but the provider "${provider}" is asked for, so nothing was sent. Unset one of them.`,
    );
  const askedBy = asked === undefined && cloud !== undefined ? cloud.variable : `The provider "${provider}"`;
  const chosen = providers[provider];
  const isMoved = options.baseUrl !== undefined && chosen !== undefined && chosen === local[provider];
  return {
    provider,
    type,
    askedBy,
    lockedBy: cloud?.variable,
    needsBaseUrl: chosen?.baseUrl === undefined,
    providers: isMoved ? { ...providers, [provider]: { ...chosen, baseUrl: options.baseUrl } } : providers,
  };
}

function invalid(problem: string): TurnwrightError {
  return new TurnwrightError('invalid_settings', problem);
}
