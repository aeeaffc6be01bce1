/** A prompt goes where its owner chose, or nowhere. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';
import { configuredAccess } from './open-model-client.ts';
import { cloudOf } from './provider-wires.ts';

export const NOT_CONFIGURED =
  'No model is configured. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), store a key with `turnwright login`, or set ANTHROPIC_BASE_URL for a compatible server. For a local one name it with the model: `--model ollama:qwen3:8b` (or lmstudio:, llamacpp:). `turnwright start` works without: it plays a rehearsed run.';

/** How the configured model is reached. */
interface ModelReach {
  /** Why it cannot be, as an error to throw; undefined: it can. */
  readonly unreachable?: TurnwrightError;
  /** The cloud that is asked; undefined: none. */
  readonly cloud?: NonNullable<ReturnType<typeof cloudOf>>;
}

/** A variable that asks for a cloud is obeyed, or nothing is sent at all. */
export async function reachOf({
  config,
  isModelConfigured,
  providerAskedBy,
}: Pick<Resolution, 'config' | 'isModelConfigured' | 'providerAskedBy'>): Promise<ModelReach> {
  const { provider, refusal, isConfigured, name, isOwn } = configuredAccess(config);
  if (refusal !== undefined) return { unreachable: new TurnwrightError('invalid_settings', refusal) };
  const cloud = cloudOf(provider);
  if (cloud !== undefined) {
    const { cloudConnection } = await import('./cloud-connection.ts');
    const access = cloudConnection(cloud, config);
    return 'problem' in access
      ? refused(isOwn ? providerAskedBy : `The provider "${name}"`, access.problem)
      : { cloud };
  }
  return isModelConfigured || isConfigured
    ? {}
    : { unreachable: new TurnwrightError('not_configured', NOT_CONFIGURED) };
}

function refused(askedBy: string, problem: string): ModelReach {
  const sentence = `${askedBy} is set, but cannot be obeyed. ${problem}`;
  return { unreachable: new TurnwrightError('invalid_settings', sentence) };
}
