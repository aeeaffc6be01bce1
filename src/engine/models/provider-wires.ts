/** How each type of provider is spoken to. Loaded when one of their models is asked first. */
import type { CloudName } from '../../model/cloud/cloud-setup.ts';
import type { Wire, WirePorts } from '../../model/wire.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { ProviderConfig } from '../../protocol/model/provider.ts';
import type { QueryEngineConfig } from '../config.ts';
import { userAgentOf } from './user-agent.ts';

/** Of any provider but those of the Messages API over our own HTTP, which is the client's own wire. */
export function openWire(
  provider: ProviderConfig,
  config: QueryEngineConfig,
  ports: WirePorts,
): Promise<Wire> {
  switch (provider.type) {
    case 'openai-compatible':
      return openAiWire(provider, config, ports);
    case 'ai-sdk':
      return aiSdkWire(provider, ports);
    default:
      return cloudWire(provider.type as CloudName, config, ports);
  }
}

async function openAiWire(
  { api, baseUrl = '', headers }: ProviderConfig,
  config: QueryEngineConfig,
  ports: WirePorts,
): Promise<Wire> {
  const { ca, extraBody, noProxy, proxyUrl } = config;
  const { createOpenAiWire } = await import('../../model/openai/openai-wire.ts');
  return createOpenAiWire(
    {
      baseUrl,
      userAgent: userAgentOf(config),
      ...(api !== undefined && { api }),
      ...(headers !== undefined && { headers }),
      ...(proxyUrl !== undefined && { proxyUrl }),
      ...(noProxy !== undefined && { noProxy }),
      ...(ca !== undefined && { ca }),
      ...(extraBody !== undefined && { extraBody }),
    },
    ports,
  );
}

async function aiSdkWire(
  { languageModel, providerOptions }: ProviderConfig,
  ports: WirePorts,
): Promise<Wire> {
  const { createAiSdkWire } = await import('../../model/ai-sdk/ai-sdk-wire.ts');
  const model = languageModel as Parameters<typeof createAiSdkWire>[0]['model'];
  return createAiSdkWire({ model, ...(providerOptions !== undefined && { providerOptions }) }, ports);
}

async function cloudWire(name: CloudName, config: QueryEngineConfig, ports: WirePorts): Promise<Wire> {
  const { cloudConnection } = await import('./cloud-connection.ts');
  const access = cloudConnection(name, config);
  if ('problem' in access) throw new TurnwrightError('invalid_settings', access.problem);
  return access.open(ports);
}
