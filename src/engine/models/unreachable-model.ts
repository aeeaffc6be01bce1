/** A prompt goes where its owner chose, or nowhere. */
import type { CloudName } from '../../model/cloud/cloud-setup.ts';
import type { OpenWire } from '../../model/wire.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';

export const NOT_CONFIGURED =
  'No model is configured. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), or ANTHROPIC_BASE_URL for a local or compatible server. `turnwright start` works without: it plays a rehearsed run.';

const CLOUDS: Readonly<Record<string, CloudName>> = {
  CLAUDE_CODE_USE_BEDROCK: 'bedrock',
  CLAUDE_CODE_USE_VERTEX: 'vertex',
  CLAUDE_CODE_USE_FOUNDRY: 'foundry',
};

/** How the configured model is reached. */
interface ModelReach {
  /** Why it cannot be, as an error to throw; undefined: it can. */
  readonly unreachable?: TurnwrightError;
  /** undefined: by the Messages API. */
  readonly cloud?: { readonly name: CloudName; readonly wire: OpenWire };
}

/** A variable that asks for a cloud is obeyed, or nothing is sent at all. */
export async function reachOf(resolved: Resolution): Promise<ModelReach> {
  const { isModelConfigured, otherProviders } = resolved;
  const [variable, other] = otherProviders;
  if (other !== undefined)
    return refused(`${variable} and ${other} are both set. Unset all but the one that is to be used.`);
  const name = CLOUDS[variable ?? ''];
  if (name !== undefined) {
    const { cloudConnection } = await import('./cloud-connection.ts');
    const access = cloudConnection(name, resolved);
    if ('problem' in access) return refused(`${variable} is set, but cannot be obeyed. ${access.problem}`);
    return { cloud: { name, wire: access.open } };
  }
  return isModelConfigured ? {} : { unreachable: new TurnwrightError('not_configured', NOT_CONFIGURED) };
}

function refused(sentence: string): ModelReach {
  return { unreachable: new TurnwrightError('invalid_settings', sentence) };
}
