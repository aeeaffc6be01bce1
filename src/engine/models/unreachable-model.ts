/** A prompt goes where its owner chose, or nowhere. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';

export const NOT_CONFIGURED =
  'No model is configured. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), or ANTHROPIC_BASE_URL for a local or compatible server. `turnwright start` works without: it plays a rehearsed run.';

/** Why the configured model cannot be asked; undefined: it can. */
export function unreachableModel({
  otherProviders: [variable],
  isModelConfigured,
}: Pick<Resolution, 'otherProviders' | 'isModelConfigured'>): TurnwrightError | undefined {
  if (variable !== undefined)
    return new TurnwrightError(
      'invalid_settings',
      `${variable} is set, but Turnwright speaks the Anthropic Messages API alone, so nothing was sent. Unset it to use that API, or point ANTHROPIC_BASE_URL at a gateway that speaks it.`,
    );
  return isModelConfigured ? undefined : new TurnwrightError('not_configured', NOT_CONFIGURED);
}
