/** A prompt goes where its owner chose, or nowhere. */
import { TurnwrightError } from '../../protocol/errors.ts';
import { DEFAULT_PROVIDER } from '../../protocol/model/provider.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';
import type { ProviderReach } from './configured-access.ts';
import { foreignName, named, ownName, resolvedModel } from './open-model-client.ts';

export const NOT_CONFIGURED =
  'No model is configured. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), store a key with `turnwright login`, or set ANTHROPIC_BASE_URL for a compatible server. For others name them with the model: `--model ollama:qwen3:8b` (or lmstudio:, llamacpp:, vllm:) on this machine, `--model openai:<name>` (or openrouter:, …) with their key. `turnwright start` works without: it plays a rehearsed run.';

/** How the configured model is reached. */
export async function checkModelReach(
  resolution: Pick<Resolution, 'config' | 'isModelConfigured' | 'providerAskedBy'>,
): Promise<ProviderReach> {
  const { config, isModelConfigured } = resolution;
  const { provider } = named(resolvedModel(config.model, config), config);
  if (provider !== undefined || ownName(config) !== DEFAULT_PROVIDER) {
    const { providerReach } = await import('./configured-access.ts');
    const reach = await providerReach(resolution);
    if (reach.isConfigured !== false) return reach;
  }
  if (!isModelConfigured) return { unreachable: new TurnwrightError('not_configured', NOT_CONFIGURED) };
  const foreign = foreignName(resolvedModel(config.model, config), config);
  return foreign === undefined ? {} : { unreachable: new TurnwrightError('invalid_settings', foreign) };
}
