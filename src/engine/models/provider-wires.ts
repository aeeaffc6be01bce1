/** How each type of provider is spoken to. Their code is loaded when one of their models is asked first. */
import type { CloudName } from '../../model/cloud/cloud-setup.ts';
import type { OpenWire, Wire, WirePorts } from '../../model/wire.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { ProviderConfig } from '../../protocol/model/provider.ts';
import type { QueryEngineConfig } from '../config.ts';
import { userAgentOf } from './user-agent.ts';

/** undefined: it is none. */
export function cloudOf({ type }: ProviderConfig): CloudName | undefined {
  return type === 'bedrock' || type === 'vertex' || type === 'foundry' ? type : undefined;
}

/** undefined: the Messages API over our own HTTP, which is the client's own wire. */
export function wireOf(provider: ProviderConfig, config: QueryEngineConfig): OpenWire | undefined {
  switch (provider.type) {
    case 'anthropic':
      return undefined;
    case 'openai-compatible':
      return (ports) => openAiWire(provider, config, ports);
    case 'ai-sdk':
      return (ports) => aiSdkWire(provider, ports);
    default:
      return (ports) => cloudWire(provider.type as CloudName, config, ports);
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
